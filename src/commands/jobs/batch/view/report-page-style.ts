/** The style of the page. Colours are variables with a light and a dark value. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --text: #1b2130; --quiet: #667085; --line: #e2e6ec;
  --completed: #2fa36b; --failed: #d9485f; --timedOut: #e07b39; --cancelled: #98a2b3; --expired: #a77bd6;
  --unknown: #e0a82e; --busy: #3f7fe0; --inFlight: #3f7fe0; --waiting: #cfd5de;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1218; --card: #171d26; --text: #e7ebf2; --quiet: #94a0b3; --line: #2a323f;
    --completed: #3fc285; --failed: #f0677c; --timedOut: #f0955a; --cancelled: #6d7789; --expired: #b995e6;
    --unknown: #ecbe55; --busy: #6ba2f5; --inFlight: #6ba2f5; --waiting: #3a4454;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 40px 20px 56px; }
header { margin-bottom: 24px; }
h1 { margin: 0; font-size: 28px; line-height: 1.2; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 15px; font-weight: 600; }
p { margin: 0; }
.kind { color: var(--quiet); font-size: 13px; font-weight: 600; text-transform: uppercase; letter-spacing: 0.06em; }
.about, .note, footer { color: var(--quiet); font-size: 13.5px; overflow-wrap: anywhere; }
.about { margin-top: 6px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px 22px; margin-top: 16px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 12px; padding: 0; border: 0; background: none; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 14px 16px; }
.tile h2 { color: var(--quiet); font-size: 13px; font-weight: 500; }
.tile .value { font-size: 24px; font-weight: 650; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
.tile .note { font-size: 12.5px; line-height: 1.35; }
.bar { display: flex; gap: 2px; height: 18px; margin: 14px 0 12px; border-radius: 6px; overflow: hidden; }
.bar span { min-width: 3px; flex-basis: 0; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0; padding: 0; list-style: none; font-size: 14px; }
.legend b { font-weight: 600; font-variant-numeric: tabular-nums; }
i { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 3px; }
.note i { margin: 0 2px; }
.completed { background: var(--completed); } .failed { background: var(--failed); }
.timedOut { background: var(--timedOut); } .cancelled { background: var(--cancelled); }
.expired { background: var(--expired); } .unknown { background: var(--unknown); }
.inFlight { background: var(--inFlight); } .waiting { background: var(--waiting); }
figure { margin: 10px -8px 0; overflow-x: auto; }
figure svg { display: block; width: 100%; min-width: 640px; height: auto; }
.times { display: flex; flex-wrap: wrap; gap: 6px 28px; margin: 10px 0 0; font-size: 14px; }
.times div { display: flex; gap: 8px; }
dt { color: var(--quiet); } dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
table { width: 100%; margin-top: 12px; border-collapse: collapse; font-size: 14px; table-layout: fixed; }
th { text-align: left; color: var(--quiet); font-size: 12.5px; font-weight: 500; }
th, td { padding: 8px 10px 8px 0; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; padding-top: 0; }
.count { width: 84px; text-align: right; font-variant-numeric: tabular-nums; }
.share { width: 130px; padding-left: 6px; }
.share span { display: block; height: 8px; margin-top: 7px; border-radius: 4px; background: var(--failed); }
summary { cursor: pointer; overflow-wrap: anywhere; }
code { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
small { color: var(--quiet); margin-left: 6px; }
details ul { margin: 6px 0 2px; padding-left: 18px; color: var(--quiet); font-size: 13px; overflow-wrap: anywhere; }
footer { margin-top: 20px; }
@media (max-width: 640px) { .share { display: none; } .count { width: 60px; } }
@media print { body { background: none; } section, .tile { break-inside: avoid; } }
`;
