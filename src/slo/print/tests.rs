use super::*;
use junit::escape;

#[test]
fn shares_have_as_many_decimals_as_tell_them_apart() {
    assert_eq!(exact(0.99995), "99.995 %");
    assert_eq!(percent(0.5), "50 %");
    assert_eq!(percent(2.0 / 3.0), "66.67 %");
    assert_eq!(percent(0.999_999_9), "99.99999 %");
    assert_eq!(apart(0.998_999_9, 0.999), "99.89999 %");
    assert_eq!(apart(0.999, 0.999), "99.9 %");
    assert_eq!(percent(-1.5), "-150 %");
    assert_eq!(percent(0.0), "0 %");
}

#[test]
fn what_xml_cannot_hold_is_replaced() {
    assert_eq!(escape("a<b>&\"'\n\u{0}\u{1b}"), "a&lt;b&gt;&amp;&quot;&#39;&#10;\u{fffd}\u{fffd}");
    assert_eq!(escape("日本"), "日本");
}
