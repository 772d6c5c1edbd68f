"""How the page of a report looks: light and dark, wide and narrow."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --back: #ffffff; --panel: #f4f5f7; --text: #1c1e21; --quiet: #5a6068;
  --line: #d5d9df; --link: #0b57c2; --good: #1a7f4b; --bad: #c0362c; --some: #b26a00; --bar: #6d9eeb;
  --second: #2f5fb3; }
@media (prefers-color-scheme: dark) { :root { --back: #16181b; --panel: #212428; --text: #e8eaed; --quiet: #a0a7b0;
  --line: #3b4047; --link: #8ab4f8; --good: #58c98c; --bad: #f28b82; --some: #f0b357; --bar: #4f7ec9;
  --second: #a9c7fa; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .25rem; }
p { margin: .25rem 0 .75rem; overflow-wrap: anywhere; }
a { color: var(--link); }
.quiet { color: var(--quiet); font-size: .9rem; }
.warn { color: var(--bad); font-weight: 600; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: 1rem 0; }
.tile { background: var(--panel); border-radius: .5rem; padding: .75rem; display: grid; }
.tile b { font-size: 1.8rem; line-height: 1.3; }
.row { display: grid; grid-template-columns: minmax(0, 17rem) minmax(0, 1fr) 9.5rem; gap: 0 .75rem;
  align-items: center; padding: .1rem 0; border-top: 1px solid var(--line); }
.name { overflow-wrap: anywhere; font-size: .9rem; }
.figure { font-size: .85rem; font-variant-numeric: tabular-nums; text-align: right; color: var(--quiet); }
.draw svg { display: block; }
.axis { stroke: var(--line); stroke-width: 1; }
.interval { stroke: var(--quiet); stroke-width: 2; }
.dot.all { fill: var(--good); }
.dot.some { fill: var(--some); }
.dot.none { fill: var(--bad); }
.bar { fill: var(--bar); }
.bar.over { fill: var(--bad); }
.bar.second { fill: var(--second); }
.mark { stroke: var(--text); stroke-width: 2; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; margin: .25rem 0 .75rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-top: 1px solid var(--line); }
td:last-child { overflow-wrap: anywhere; min-width: 12rem; }
details { border-top: 1px solid var(--line); }
summary { padding: .4rem 0; cursor: pointer; overflow-wrap: anywhere; }
summary b.passed { color: var(--good); }
summary b.failed { color: var(--bad); }
.run { padding: 0 0 1rem; scroll-margin-top: 3rem; }
.run details { margin-left: .5rem; }
pre { background: var(--panel); border-radius: .5rem; padding: .75rem; margin: .25rem 0 .75rem; white-space: pre-wrap;
  overflow-wrap: anywhere; font: .85rem/1.45 ui-monospace, monospace; }
pre.answer { font-family: inherit; font-size: .95rem; }
@media (max-width: 40rem) {
  .row { grid-template-columns: minmax(0, 1fr) auto; }
  .name { grid-column: 1 / 2; }
  .draw { grid-row: 2; grid-column: 1 / 3; }
  .figure { grid-row: 1; grid-column: 2 / 3; }
}
"""
"""Everything the page needs; colours are named once, for each of the two schemes."""
