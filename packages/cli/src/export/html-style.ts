/** All of the look of an exported page: light and dark, wide and narrow. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1c2024; --soft: #60646c; --line: #dfe2e6; --wash: #f4f5f7; --mine: #eaf2fd;
  --link: #0b5fbd; --good: #18794e; --bad: #c22a2f; --add: #e3f6e9; --cut: #fdeaea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #121416; --ink: #e6e8eb; --soft: #a0a6ad; --line: #33383e; --wash: #1c1f23; --mine: #17293d;
    --link: #7ab8ff; --good: #5bd197; --bad: #ff8f8f; --add: #12301f; --cut: #3a1a1c;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main, header { max-width: 50rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 2rem; }
main { padding-bottom: 3rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { font-size: .8rem; font-weight: 600; color: var(--soft); margin: 2rem 0 .5rem; }
h4, h5, h6 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
h3 a { color: inherit; text-decoration: none; }
a { color: var(--link); }
p, ul, ol, pre, table, blockquote { margin: .6rem 0; }
ul, ol { padding-left: 1.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; font-size: .875rem; }
dt { color: var(--soft); }
dd { margin: 0; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
code, pre { font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { background: var(--wash); border-radius: .25rem; padding: .1em .3em; }
pre { background: var(--wash); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .75rem; overflow: auto; max-height: 32rem; overflow-wrap: normal; }
pre code { background: none; padding: 0; }
figure { margin: .6rem 0; }
figcaption { font-size: .8rem; color: var(--soft); margin-bottom: .25rem; }
figure pre { margin: 0; }
img { max-width: 100%; height: auto; border-radius: .4rem; border: 1px solid var(--line); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; overflow-wrap: normal; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
.mine { background: var(--mine); border-radius: .75rem; padding: .2rem 1rem; }
/* Lines of a message are as they were typed. */
.mine p { white-space: pre-line; }
td code { overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .6rem 0; padding: 0 .75rem; }
summary { cursor: pointer; padding: .45rem 0; font-size: .9rem; }
details[open] > summary { border-bottom: 1px solid var(--line); margin-bottom: .5rem; }
.note { color: var(--soft); font-size: .875rem; }
.error { border-left: 3px solid var(--bad); padding-left: .75rem; color: var(--bad); }
.done { color: var(--good); }
.failed, .refused { color: var(--bad); }
.diff { padding: .6rem 0; }
.diff span { display: block; padding: 0 .75rem; min-width: max-content; }
.diff .add { background: var(--add); }
.diff .cut { background: var(--cut); }
.diff .at { color: var(--soft); }
@media (max-width: 36rem) {
  body { font-size: 15px; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .3rem; }
  .mine { padding: .1rem .75rem; }
  pre { max-height: 24rem; }
}
@media print {
  pre { max-height: none; white-space: pre-wrap; }
}
`;
