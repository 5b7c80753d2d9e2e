// `npm run bench [-- name…] [--json]`: each bar is a ratio within one run. A bar missed by 30% or more fails.
// `--minutes` is how long the soak goes on, `--snapshots` a folder for heap snapshots of it.
import { parseArgs } from 'node:util';
import { judge, type Measured } from './bar.ts';
import { completions } from './completions.ts';
import { deltaCost } from './delta-cost.ts';
import { dispatchEcho } from './dispatch-echo.ts';
import { fanOut } from './fan-out.ts';
import { fork } from './fork.ts';
import { list } from './list.ts';
import { reconnect } from './reconnect.ts';
import { reducers } from './reducers.ts';
import { search } from './search.ts';
import { sessionMemory } from './session-memory.ts';
import { slowClient } from './slow-client.ts';
import { type SoakChoice, soakBench } from './soak.ts';
import { start } from './start.ts';
import { table } from './table.ts';
import { terminalEcho } from './terminal-echo.ts';
import { terminalFlood } from './terminal-flood.ts';
import { turnWindow } from './turn-window.ts';

const BENCHES: Readonly<Record<string, (choice: SoakChoice) => Promise<Measured[]>>> = {
  'fan-out': fanOut,
  'dispatch-echo': dispatchEcho,
  'delta-cost': deltaCost,
  'turn-window': turnWindow,
  list,
  reconnect,
  fork,
  start,
  'session-memory': sessionMemory,
  reducers,
  search,
  completions,
  'terminal-flood': terminalFlood,
  'terminal-echo': terminalEcho,
  'slow-client': slowClient,
  soak: soakBench,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, minutes: { type: 'string' }, snapshots: { type: 'string' } },
});
const unknown = positionals.find((name) => !(name in BENCHES));
if (unknown !== undefined) {
  console.error(`No benchmark is called ${unknown}; there are: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}

const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
const choice = { minutes, snapshots: values.snapshots };
const results: Measured[] = [];
for (const [name, bench] of Object.entries(BENCHES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.error(`${name} …`);
  results.push(...(await bench(choice)));
}
const judged = results.map((result) => ({ ...result, verdict: judge(result.ratio, result.bar) }));
if (values.json === true) console.log(JSON.stringify({ results: judged }));
else for (const line of table(results)) console.log(line);
process.exitCode = judged.some(({ verdict }) => verdict === 'failed') ? 1 : 0;
