import { check } from '../kit/check.ts';
import { NotApplicable, Violation } from '../kit/verdict.ts';
import { isObject, shown } from '../recording/entry.ts';

/** Whether an agent announces a capability. */
const has = (agent: unknown, name: string): boolean =>
  isObject(agent) && isObject(agent['capabilities']) && agent['capabilities'][name] !== undefined;

/** The bit of a status for sessions that were read. */
const IS_READ = 32;

/** Sessions. */
export const sessionChecks = [
  check('SESS-1', 'a session whose URI is taken is refused with -32003', async (bench) => {
    const client = await bench.connect();
    const { session } = await bench.session(client);
    await client.refused('createSession', { channel: session, ...bench.sessionParams() }, -32003);
  }),
  check('SESS-1', 'an unknown provider is refused with -32002', async (bench) => {
    const client = await bench.connect();
    const channel = bench.newSessionUri();
    await client.refused(
      'createSession',
      { ...bench.sessionParams(), channel, provider: 'kit-no-such-agent' },
      -32002,
    );
  }),
  check('SESS-2', 'a session and its default chat can be subscribed after the answer', async (bench) => {
    const client = await bench.connect();
    const { chat, state } = await bench.session(client);
    const { state: opened, frame } = await client.subscribe(chat);
    if (!Array.isArray(opened['turns'])) throw new Violation('the chat has no list `turns`', [frame]);
    const chats = Array.isArray(state['chats']) ? state['chats'] : [];
    if (!chats.some((each) => isObject(each) && each['resource'] === chat))
      throw new Violation('the default chat is not in the catalogue `chats`', client.frames.slice(-6));
  }),
  check('SESS-2 SESS-24', 'a new session becomes ready without a message', async (bench) => {
    const client = await bench.connect();
    const { state } = await bench.readySession(client);
    const { lifecycle } = state;
    if (lifecycle !== 'ready')
      throw new Violation(`expected the lifecycle ready, got ${shown(lifecycle)}`, client.frames.slice(-2));
  }),
  check('SESS-3', 'a disposed session is gone, with its chat', async (bench) => {
    const client = await bench.connect();
    const { session, chat } = await bench.session(client);
    await client.call('disposeSession', { channel: session });
    await client.refused('subscribe', { channel: session }, -32001, -32008);
    await client.refused('subscribe', { channel: chat }, -32001, -32008);
  }),
  check('SESS-3', 'disposing an unknown session is refused with -32001', async (bench) => {
    await (await bench.connect()).refused(
      'disposeSession',
      { channel: `ahp-session:/kit-${bench.newId()}` },
      -32001,
    );
  }),
  check(
    'SESS-10 SESS-4',
    'reading a session sets its flag and leaves the rest of its status',
    async (bench) => {
      const client = await bench.connect();
      const { session } = await bench.session(client);
      for (const isRead of [true, false]) {
        await client.accepted(session, { type: 'session/isReadChanged', isRead });
        const { state, frame } = await client.subscribe(session);
        const holder = isObject(state['summary']) ? state['summary'] : state;
        if ((Number(holder['status']) & IS_READ) !== (isRead ? IS_READ : 0))
          throw new Violation(`isRead ${isRead}, and the status is ${shown(holder['status'])}`, [frame]);
      }
    },
  ),
  check('SESS-8', 'a client can make only itself an active client', async (bench) => {
    bench.needs('0.5.0');
    const client = await bench.connect();
    const { session } = await bench.session(client);
    const entry = (clientId: string): object => ({
      type: 'session/activeClientSet',
      activeClient: { clientId, tools: [], customizations: [] },
    });
    await client.rejected(session, entry('kit-somebody-else'));
    await client.accepted(session, entry(client.clientId));
  }),
  check('SESS-20', 'a session is created with a list of directories, and shows it', async (bench) => {
    bench.needs('0.7.0');
    const client = await bench.connect();
    const { state } = await bench.session(client);
    const [first] = Array.isArray(state['workingDirectories']) ? state['workingDirectories'] : [];
    if (first !== bench.folderUri)
      throw new Violation(
        `expected workingDirectories [${bench.folderUri}], got ${shown(state['workingDirectories'])}`,
        client.frames.slice(-6),
      );
  }),
  check('SESS-21 ROOT-20', 'directories are not added where the agent takes only one', async (bench) => {
    bench.needs('0.7.0');
    if (has(bench.facts.agent, 'multipleWorkingDirectories'))
      throw new NotApplicable('the agent takes several working directories');
    const client = await bench.connect();
    const { session } = await bench.session(client);
    await client.rejected(session, {
      type: 'session/workingDirectorySet',
      directory: `${bench.folderUri}/other`,
    });
  }),
  check('SESS-21', 'directories are added and removed', async (bench) => {
    bench.needs('0.7.0');
    if (!has(bench.facts.agent, 'multipleWorkingDirectories'))
      throw new NotApplicable('the agent takes one working directory');
    const client = await bench.connect();
    const { session } = await bench.session(client);
    const directory = new URL('..', `${bench.folderUri}/`).href.replace(/\/$/, '');
    for (const type of ['session/workingDirectorySet', 'session/workingDirectoryRemoved']) {
      await client.accepted(session, { type, directory });
      const { state, frame } = await client.subscribe(session);
      const isListed =
        Array.isArray(state['workingDirectories']) && state['workingDirectories'].includes(directory);
      if (isListed !== (type === 'session/workingDirectorySet'))
        throw new Violation(`after ${type}: ${shown(state['workingDirectories'])}`, [frame]);
    }
  }),
  check('SESS-29', 'the default chat cannot be moved', async (bench) => {
    bench.needs('1.0.0');
    const client = await bench.connect();
    const { session, chat } = await bench.session(client);
    const answer = await client.request('moveChat', {
      channel: chat,
      destination: { kind: 'session', session },
    });
    if (answer.error?.code === -32601) throw new NotApplicable('the host moves no chats');
    client.expectCode(answer, 'moveChat', -32602);
  }),
];
