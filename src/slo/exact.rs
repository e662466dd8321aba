//! Ratios compared without rounding.
//!
//! A burn rate of exactly the factor does not fire, and a ratio of exactly the target is met: so both
//! sides are whole numbers, and only what is printed becomes a float.

use std::cmp::Ordering;

/// A ratio of two whole numbers that is not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    /// Above the line.
    pub above: u128,
    /// Below the line; never 0.
    pub below: u128,
}

impl Ratio {
    /// The ratio, in lowest terms; `None` when `below` is 0.
    pub fn new(above: u128, below: u128) -> Option<Self> {
        let divisor = gcd(above, below);
        (below > 0).then(|| Self { above: above / divisor, below: below / divisor })
    }

    /// The decimal number that `value` is printed as: of 0.999 exactly 999/1000.
    ///
    /// `None` when it is negative, no number, or has more digits than fit.
    pub fn of(value: f64) -> Option<Self> {
        if !value.is_finite() || value.is_sign_negative() && value != 0.0 {
            return None;
        }
        // The shortest digits that read back as this float; Display never writes an exponent.
        let text = value.abs().to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
        Self::new(digits, 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?)
    }

    /// As a float.
    #[expect(clippy::cast_precision_loss, reason = "only printed")]
    pub fn value(self) -> f64 {
        self.above as f64 / self.below as f64
    }

    /// `1 - self`; `None` when that is negative.
    pub fn complement(self) -> Option<Self> {
        Self::new(self.below.checked_sub(self.above)?, self.below)
    }

    /// `self * other`; `None` when it does not fit.
    pub fn times(self, other: Self) -> Option<Self> {
        let left = Self::new(self.above, other.below)?;
        let right = Self::new(other.above, self.below)?;
        Self::new(left.above.checked_mul(right.above)?, left.below.checked_mul(right.below)?)
    }

    /// How `part / whole` compares with this ratio; `None` without a whole.
    pub fn compared(self, part: u128, whole: u128) -> Option<Ordering> {
        if whole == 0 {
            return None;
        }
        let left = part.checked_mul(self.below);
        let right = self.above.checked_mul(whole);
        Some(match (left, right) {
            (Some(left), Some(right)) => left.cmp(&right),
            // Beyond 10^38: floats tell as much as anyone can want.
            _ => share(part, whole).total_cmp(&self.value()),
        })
    }
}

/// `part / whole` as a float; 0 without a whole.
#[expect(clippy::cast_precision_loss, reason = "only printed, or beyond what is exact")]
pub fn share(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn gcd(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_is_the_decimal_that_it_is_printed_as() {
        assert_eq!(Ratio::of(0.999), Ratio::new(999, 1000));
        assert_eq!(Ratio::of(14.4), Ratio::new(72, 5));
        assert_eq!(Ratio::of(0.0), Ratio::new(0, 1));
        assert_eq!(Ratio::of(-0.5), None);
        assert_eq!(Ratio::of(f64::NAN), None);
        assert_eq!(Ratio::of(1e-300), None);
    }

    #[test]
    fn the_edge_is_exact() {
        // In floats 1 - 0.999 is a little more than 0.001.
        let allowed = Ratio::of(0.999).unwrap().complement().unwrap();
        let limit = allowed.times(Ratio::of(14.4).unwrap()).unwrap();
        assert_eq!(limit.compared(144, 10_000), Some(Ordering::Equal));
        assert_eq!(limit.compared(145, 10_000), Some(Ordering::Greater));
        assert_eq!(limit.compared(0, 0), None);
        assert_eq!(limit.compared(u128::MAX, u128::MAX), Some(Ordering::Greater));
    }
}
