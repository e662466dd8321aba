//! Attempts in steps of time, those that were rejected or replayed over the others, storms as bands.

use super::plan::Agent;
use crate::report::figures::{count, counted, duration};
use crate::report::html::{Whole, plot};
use maud::{Markup, html};

pub(super) fn draw(whole: &Whole<'_>, agent: &Agent<'_>) -> Markup {
    const HEIGHT: i64 = 44;
    let span = whole.span;
    let most = plot::float(agent.steps.iter().map(|s| s.attempts).max().unwrap_or(1).max(1));
    let mut named_until = 0.0;
    let part = |n: i64| plot::float(n) / most * plot::float(HEIGHT - 14);
    html! {
        div.lane {
            div.label { span.n { "attempts" } span.role { "rejected, replayed" } }
            svg.track height=(HEIGHT) role="group" aria-label="Attempts" {
                @for s in &agent.storms {
                    @let words = format!(
                        "Storm: {} by {}, {}, at most {} a minute\nfrom {} to {}",
                        counted(s.failed_attempts, "rejection", "rejections"),
                        counted(s.clients, "client", "clients"),
                        counted(s.replays, "replay", "replays"),
                        count(s.peak_per_minute),
                        whole.clock.time(s.started_at),
                        whole.clock.time(s.ended_at),
                    );
                    rect.storm data-a=(span.ms(s.started_at)) data-b=(span.ms(s.ended_at)) x=(span.x(s.started_at))
                        width=(span.width(s.started_at, s.ended_at)) y="0" height=(HEIGHT) tabindex="0" role="img" aria-label=(words) {
                        title { (words) }
                    }
                    @let room = span.share(s.started_at) >= named_until;
                    @let () = if room { named_until = span.share(s.started_at) + 0.13; };
                    svg.name.storm.spare[!room] data-a=(span.ms(s.started_at)) data-b=(span.ms(s.ended_at))
                        x=(span.x(s.started_at)) width=(span.width(s.started_at, s.ended_at)) y="0" height="13" {
                        @let peak = count(s.peak_per_minute);
                        text x="3" y="10" data-s={ (peak) "/min" } { "storm, peak " (peak) "/min" }
                    }
                }
                @for s in &agent.steps {
                    @let end = s.step_at.saturating_add(s.step);
                    @let fine = s.attempts - s.rejected;
                    @for (class, below, n) in [("tried", 0, fine), ("rejected", fine, s.rejected - s.replayed), ("replayed", fine + s.rejected - s.replayed, s.replayed)] {
                        @if n > 0 {
                            rect.(class) data-a=(span.ms(s.step_at)) data-b=(span.ms(end)) x=(span.x(s.step_at)) width=(span.width(s.step_at, end))
                                y=(format!("{:.1}", plot::float(HEIGHT) - part(below + n))) height=(format!("{:.1}", part(n).max(1.0))) {
                                @if class != "tried" {
                                    title {
                                        (whole.clock.time(s.step_at)) ", " (duration(crate::report::figures::seconds(s.step_at, end))) ": "
                                        (counted(s.attempts, "attempt", "attempts")) ", " (count(s.rejected)) " rejected, " (count(s.replayed)) " of them replays"
                                    }
                                }
                            }
                        }
                    }
                }
                line.base x1="0" x2="100%" y1=(HEIGHT - 1) y2=(HEIGHT - 1) {}
            }
        }
    }
}
