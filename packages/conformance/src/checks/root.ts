import { check } from '../kit/check.ts';
import { Violation } from '../kit/verdict.ts';
import { ROOT } from '../link/raw-client.ts';
import { isObject } from '../recording/entry.ts';

/** Agents, lists of sessions and settings. */
export const rootChecks = [
  check('ROOT-2', 'a new session is listed', async (bench) => {
    const client = await bench.connect();
    const { session } = await bench.session(client);
    const { items } = await client.call('listSessions', {});
    const found =
      Array.isArray(items) && items.some((item) => isObject(item) && item['resource'] === session);
    if (!found) throw new Violation(`listSessions does not have ${session}`, client.frames.slice(-2));
  }),
  check('ROOT-3', 'subscribers of the root are told of new and of removed sessions', async (bench) => {
    const [writer, reader] = [await bench.connect(), await bench.connect([ROOT])];
    const { session } = await bench.session(writer);
    await reader.notification(
      'root/sessionAdded',
      ({ summary }) => isObject(summary) && summary['resource'] === session,
    );
    await writer.call('disposeSession', { channel: session });
    await reader.notification('root/sessionRemoved', (params) => params['session'] === session);
  }),
  check('ROOT-3', 'subscribers of the root are told of a changed title', async (bench) => {
    const [writer, reader] = [await bench.connect(), await bench.connect([ROOT])];
    const { session } = await bench.session(writer);
    await writer.accepted(session, { type: 'session/titleChanged', title: 'for the list' });
    await reader.notification(
      'root/sessionSummaryChanged',
      (params) =>
        params['session'] === session &&
        isObject(params['changes']) &&
        params['changes']['title'] === 'for the list',
    );
  }),
  check('ROOT-4', 'the settings of a session are resolved before it exists', async (bench) => {
    const client = await bench.connect();
    const { agent } = bench.facts;
    const result = await client.call('resolveSessionConfig', {
      ...(agent && { provider: agent['provider'] }),
      workingDirectory: bench.folderUri,
      config: {},
    });
    if (!isObject(result['schema']) || !isObject(result['values']))
      throw new Violation('the result has no schema and values', client.frames.slice(-2));
  }),
  check('ROOT-5', 'a setting of the host that does not exist is rejected', async (bench) => {
    const client = await bench.connect([ROOT]);
    await client.rejected(ROOT, { type: 'root/configChanged', config: { kitNoSuchSetting: true } });
  }),
];
