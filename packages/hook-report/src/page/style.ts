/** Light and dark by what the reader prefers; black on white on paper. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fbfbfa;--card:#fff;--ink:#1c1f24;--soft:#5b6470;--line:#e3e5e8;--grid:#eceef0;--accent:#0b62c4;--good:#12733f;--bad:#b3261e;--warn:#8a5a00;--warnbg:#fff7e6;
--c0:#0b62c4;--c1:#d1480a;--c2:#12733f;--c3:#8a3ffc;--c4:#b3156d;--c5:#007d79;--c6:#8a6d00;--c7:#525f7a}
@media (prefers-color-scheme:dark){:root{--bg:#14161a;--card:#1b1e23;--ink:#e8eaed;--soft:#9aa3ad;--line:#2d3239;--grid:#262b31;--accent:#6cb0ff;--good:#5fd08f;--bad:#ff8a80;--warn:#ffcf70;--warnbg:#2a2416;
--c0:#6cb0ff;--c1:#ff9a62;--c2:#5fd08f;--c3:#c39bff;--c4:#ff86c3;--c5:#4fd6d0;--c6:#e0c257;--c7:#a9b6cf}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1120px;margin:0 auto;padding:28px 24px 64px}
h1{font-size:22px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:16px;margin:36px 0 12px;padding-bottom:6px;border-bottom:1px solid var(--line)}
p{margin:0 0 10px}.kind{color:var(--soft);font-size:13px;margin:0 0 2px}.note,small,.sub{color:var(--soft);font-size:13px}small{font-weight:400}
.status{display:inline-block;padding:1px 10px;border-radius:99px;border:1px solid currentColor;font-size:13px;font-weight:600;vertical-align:2px;margin-left:6px}
.completed{color:var(--good)}.error,.died{color:var(--bad)}.stopped,.running,.unknown{color:var(--warn)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));margin:18px 0 0;background:var(--card);border:1px solid var(--line);border-radius:8px;overflow:hidden}
dl>div{box-shadow:0 0 0 .5px var(--line);padding:9px 14px}dt{color:var(--soft);font-size:12px}dd{margin:0;font-weight:600;overflow-wrap:anywhere}
.verdict,.warnings,.failure{border:1px solid var(--line);border-left:4px solid var(--accent);background:var(--card);border-radius:6px;padding:12px 16px;margin:18px 0 0;overflow-wrap:anywhere}
.failure{border-left-color:var(--bad)}.warnings{border-left-color:var(--warn);background:var(--warnbg)}.warnings ul{margin:6px 0 0;padding-left:18px}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:16px}
.charts>:only-child{max-width:760px}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px;min-width:0}
figcaption{font-weight:600;overflow-wrap:anywhere}
.plot{position:relative}svg{display:block;width:100%;height:auto;touch-action:pan-y}svg:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.grid line{stroke:var(--grid)}text{font-size:12px;fill:var(--soft)}.y{text-anchor:end;dominant-baseline:middle}.x{text-anchor:middle}.end{text-anchor:end}
.line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.faint{--o:.32}.line.faint{stroke-width:1.2;opacity:.32}.dashed{stroke-dasharray:5 4}.dot{fill:var(--c)}
.mark line{stroke:var(--soft);stroke-dasharray:3 3}.best circle{fill:var(--card);stroke:var(--ink);stroke-width:2}.best text{fill:var(--ink);font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:4px;stroke-linejoin:round}.mark text{paint-order:stroke;stroke:var(--card);stroke-width:3px}
.cursor{stroke:var(--soft)}.cursor[hidden]{display:none}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}.c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 16px;margin:2px 0 6px;padding:0;font-size:13px;color:var(--soft)}.legend b{color:var(--ink)}
.legend i{display:inline-block;width:16px;height:0;border-top:3px solid var(--c);opacity:var(--o,1);margin-right:6px;vertical-align:4px}.legend .dashed i{border-top-style:dashed}
output{position:absolute;top:8px;pointer-events:none;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:6px 10px;font-size:12px;box-shadow:0 2px 10px #0002;white-space:nowrap}output:empty{display:none}output b{color:var(--c);margin-right:6px}
details{margin-top:8px}summary{cursor:pointer;color:var(--soft);font-size:13px}details>table,details>pre{margin-top:8px}
table{border-collapse:collapse;font-size:13px;max-width:100%;display:block;overflow-x:auto}table.wide,.confusion{display:table}table.wide{width:100%}
th,td{padding:4px 12px 4px 0;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}thead th{color:var(--soft);font-weight:500}tbody th{font-weight:600;text-align:left}th:first-child{text-align:left}
.wide td:nth-child(2),.wide th:nth-child(2){text-align:left}.wide tfoot td:last-child{text-align:right}.off{color:var(--soft)}.off td{text-align:left}
.scroll{overflow-x:auto}.runs td{max-width:280px;white-space:normal;overflow-wrap:anywhere;vertical-align:top}.track{display:inline-block;width:100px;text-align:left;margin-right:8px}.bar{display:inline-block;height:9px;background:var(--c0);opacity:.6;border-radius:2px;margin-right:8px;max-width:100px}
.heats{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));gap:16px}.heat path{fill:var(--c0)}.heat figcaption{font-size:13px}
.confusion td,.confusion th{padding:5px 9px;text-align:center;border:1px solid var(--line)}
.right{background:color-mix(in srgb,var(--good) calc(var(--s)*100%),transparent)}.wrong{background:color-mix(in srgb,var(--bad) calc(var(--s)*100%),transparent)}.strong{color:var(--bg);font-weight:600}
pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:12px;overflow:auto;font-size:12.5px;margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
footer{margin-top:48px;color:var(--soft);font-size:13px}
@media (max-width:560px){main{padding:18px 14px 40px}.wide td:nth-child(2),.wide th:nth-child(2){display:none}}
@media print{:root{--bg:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--grid:#ddd;--accent:#0b62c4;--good:#12733f;--bad:#b3261e;--warn:#8a5a00;--warnbg:#fff7e6;
--c0:#0b62c4;--c1:#d1480a;--c2:#12733f;--c3:#8a3ffc;--c4:#b3156d;--c5:#007d79;--c6:#8a6d00;--c7:#525f7a}body{font-size:11pt}main{max-width:none;padding:0}figure,tr,dl{break-inside:avoid}h2{break-after:avoid}.charts{grid-template-columns:1fr 1fr}.heats{grid-template-columns:1fr 1fr 1fr}summary{display:none}.bar,.right,.wrong,.legend i{print-color-adjust:exact;-webkit-print-color-adjust:exact}.strong{color:#fff}pre{font-size:8.5pt}}
@page{margin:14mm}
`;
