// `npm run bench [-- name…] [--json]`: each bar is a ratio within one run. A bar missed by 30% or more fails. `--minutes` sets the length
// of the soak, `--snapshots` the folder for its heap snapshots.
import { parseArgs } from 'node:util';
import { agent } from './agent.ts';
import { judge, type Measured } from './bar.ts';
import { changesetStore, changesets } from './changesets.ts';
import { completions } from './completions.ts';
import { deltaCost } from './delta-cost.ts';
import { dispatchEcho } from './dispatch-echo.ts';
import { fanOut } from './fan-out.ts';
import { fanOutVersions } from './fan-out-versions.ts';
import { DEFAULT_FLEET, type FleetChoice, fleet } from './fleet.ts';
import { fork } from './fork.ts';
import { install } from './install.ts';
import { list } from './list.ts';
import { page } from './page.ts';
import { postgres } from './postgres.ts';
import { reconnect } from './reconnect.ts';
import { reducers } from './reducers.ts';
import { search } from './search.ts';
import { sessionMemory } from './session-memory.ts';
import { slowClient } from './slow-client.ts';
import { DEFAULT_MINUTES, type SoakChoice, soakBench } from './soak.ts';
import { start } from './start.ts';
import { table } from './table.ts';
import { telemetry } from './telemetry.ts';
import { terminalEcho } from './terminal-echo.ts';
import { terminalFlood } from './terminal-flood.ts';
import { terminalLate } from './terminal-late.ts';
import { turnWindow } from './turn-window.ts';

const BENCHES: Readonly<Record<string, (choice: SoakChoice & FleetChoice) => Promise<Measured[]>>> = {
  'fan-out': fanOut,
  'fan-out-versions': fanOutVersions,
  'dispatch-echo': dispatchEcho,
  'delta-cost': deltaCost,
  telemetry,
  'turn-window': turnWindow,
  list,
  reconnect,
  fork,
  start,
  'session-memory': sessionMemory,
  reducers,
  search,
  changesets,
  'changeset-store': changesetStore,
  completions,
  'terminal-flood': terminalFlood,
  'terminal-echo': terminalEcho,
  'terminal-late': terminalLate,
  'slow-client': slowClient,
  agent,
  page,
  install,
  postgres,
  fleet,
  soak: soakBench,
};

const HELP = `usage: npm run bench [-- [name…] [flags]]

Each figure stands beside a baseline of the same run; a bar that is missed by 30% or more fails (exit code 1).

names (none: all, one after the other):
${Object.keys(BENCHES)
  .map((name) => `  ${name}`)
  .join('\n')}

flags:
  --json                the results as one line of JSON, for programs
  --minutes <number>    how long the soak goes on (default: ${DEFAULT_MINUTES})
  --snapshots <folder>  where heap snapshots of the soak's middle and end go (default: none are made)
  --cells <number>      hosts of the fleet (default: ${DEFAULT_FLEET.cells})
  --gateways <number>   gateways of the fleet (default: ${DEFAULT_FLEET.gateways})
  --clients <number>    clients of the fleet (default: ${DEFAULT_FLEET.clients})
  -h, --help            show this`;

const options = {
  json: { type: 'boolean' },
  minutes: { type: 'string' },
  snapshots: { type: 'string' },
  cells: { type: 'string' },
  gateways: { type: 'string' },
  clients: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface Asked {
  readonly names: readonly string[];
  readonly isJson: boolean;
  readonly choice: SoakChoice & FleetChoice;
}

/** Names and flags. Throws a `TypeError`, as `parseArgs` does, for invalid ones. */
function readCommandLine(): Asked | 'help' {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help === true) return 'help';
  const unknown = positionals.find((name) => !Object.hasOwn(BENCHES, name));
  if (unknown !== undefined) throw new TypeError(`no benchmark is called ${unknown}`);
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  if (minutes !== undefined && !(minutes > 0 && Number.isFinite(minutes)))
    throw new TypeError(`--minutes: expected a number above 0, got ${values.minutes}`);
  const countOf = (name: 'cells' | 'gateways' | 'clients'): number => {
    const count = Number(values[name] ?? DEFAULT_FLEET[name]);
    if (Number.isInteger(count) && count > 0) return count;
    throw new TypeError(`--${name}: expected a whole number above 0, got ${values[name]}`);
  };
  const [cells, gateways, clients] = [countOf('cells'), countOf('gateways'), countOf('clients')];
  return {
    names: positionals,
    isJson: values.json === true,
    choice: { minutes, snapshots: values.snapshots, cells, gateways, clients },
  };
}

function askedOrExit(): Asked {
  let asked: ReturnType<typeof readCommandLine>;
  try {
    asked = readCommandLine();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [problem] = error.message.split('. To specify');
    console.error(`${problem}\nnpm run bench -- --help shows names and flags`);
    return process.exit(2);
  }
  if (asked !== 'help') return asked;
  console.log(HELP);
  return process.exit(0);
}

const { names, isJson, choice } = askedOrExit();
const results: Measured[] = [];
for (const [name, bench] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.error(`${name} …`);
  results.push(...(await bench(choice)));
}
const judged = results.map((result) => ({ ...result, verdict: judge(result.ratio, result.bar) }));
if (isJson) console.log(JSON.stringify({ results: judged }));
else for (const line of table(results)) console.log(line);
process.exitCode = judged.some(({ verdict }) => verdict === 'failed') ? 1 : 0;
