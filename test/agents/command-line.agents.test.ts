// What people do between prompts with real agents, by the commands of the program and in the window of `agenthost chat`. The agents talk to
// the stand-in model.
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installAgents } from '../../scripts/install-agents.ts';
import { Stage } from '../chat/stage.ts';
import { hasTmux } from '../chat/tmux.ts';
import { Repository } from '../page/repository.ts';
import { removeFolder } from '../remove-folder.ts';
import { prepareLaunch } from './agent-launch.ts';
import { agentPackages } from './agent-packages.ts';
import { present } from './chat-reading.ts';
import { ModelProcess } from './model-process.ts';
import { afterTool, allPrompt, readPrompt, shellPrompt, writePrompt } from './stand-in-model.ts';

/** Each agent starts several times, and each command is a process. */
const LONG_MS = 600_000;

// Not in the temp folder: codex refuses a home there.
const homes = join(import.meta.dirname, '..', '..', '.agents', 'homes');

/** All tested agents pass it. Two of them, of different makers, are enough for each run of all tests. */
const packages = agentPackages.filter(({ id }) => id === 'claude' || id === 'codex');

const installed = (await installAgents(packages)).filter(({ command }) => command !== undefined);

/** What the agent changes in the first turn: two files by its tools, one by a shell command. */
const CHANGES = `A  new.md                +1 -0
M  src/deep/numbers.txt  +2 -2
M  src/one.ts            +1 -2
`;

describe.skipIf(!hasTmux()).each(installed)('$agent.id by the command line', ({ agent: { id }, command }) => {
  const stage = new Stage();
  const home = join(homes, `${id}-command-line`);
  let model: ModelProcess | undefined;

  beforeAll(async () => {
    await removeFolder(home);
    model = await ModelProcess.start();
    const agent = { command: present(command), ...(await prepareLaunch(id, model.url, home)) };
    const config = join(stage.folder, 'agenthost.json');
    await writeFile(config, JSON.stringify({ agents: { [id]: agent } }));
    await stage.serve('--config', config);
  });
  afterAll(async () => {
    await stage.dispose();
    await model?.stop();
    await removeFolder(home);
  });

  /** Runs a command that must succeed. Resolves with its output. */
  const run = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await stage.run(...args);
    expect(code, `agenthost ${args.join(' ')}: ${err}`).toBe(0);
    return out;
  };

  test(
    '[CS-1] [CS-4] [ANN-1] it changes three files, fixes what a comment says, and a hunk is reverted, brought back, committed and pushed',
    async () => {
      const repository = new Repository(join(stage.folder, 'shop'), join(stage.folder, 'shop.git'));
      const [one, added] = ['src/one.ts', 'new.md'].map((name) => join(repository.path, name));
      const numbers = 'src/deep/numbers.txt';
      const prompt = allPrompt(
        readPrompt(present(one)),
        writePrompt(present(one), 'export const one = 3;\n'),
        writePrompt(present(added), 'hello\n'),
        shellPrompt(`sed -i 's/line 30/line thirty/; s/line 2$/line two/' ${numbers}`),
      );
      const running = stage.start(
        ...['run', '--agent', id, '--cwd', repository.path, '--approve', 'all', prompt],
      );
      // Each wait has a limit of its own: some agents take long for a turn of several steps.
      for (const text of ['new.md', 'sed -i', afterTool]) await running.until(text);
      const asked = await running.ended;
      expect(asked.code, asked.err).toBe(0);
      expect(asked.out).toContain(afterTool);
      const session = present(/^session (\w+)/m.exec(asked.err)?.[1]);
      expect(await run('changes', session)).toBe(CHANGES);
      expect(await run('changes', session, '--turn', 'last')).toBe(CHANGES);
      const patch = await run('changes', session, '--patch');
      execFileSync('git', ['apply', '--check', '-R'], { cwd: repository.path, input: patch });

      await run(
        'comment',
        session,
        `${numbers}:30`,
        shellPrompt(`sed -i 's/line thirty/line 30/' ${numbers}`),
      );
      await run('comment', 'send', session);
      const watch = stage.start('watch', session, '--turns', '0');
      await watch.until('a or y: yes');
      watch.type('a\n');
      await watch.until('idle; nothing waits');
      watch.type('q\n');
      expect((await watch.ended).code).toBe(0);
      const fix = await run('changes', session, '--turn', 'last', '--patch');
      expect(fix.split('\n').filter((line) => /^[-+]/.test(line))).toEqual([
        `--- a/${numbers}`,
        `+++ b/${numbers}`,
        '-line thirty',
        '+line 30',
      ]);
      const total = CHANGES.replace('+2 -2', '+1 -1');
      expect(await run('changes', session)).toBe(total);
      expect(await run('changes', session, '--uncommitted')).toBe(total);

      await run('revert', session, numbers, '--lines', '2', '--yes');
      expect(repository.git('status', '--porcelain')).toBe(' M src/one.ts\n?? new.md\n');
      await run('revert', session, '--undo');
      expect(repository.read(numbers)).toContain('line 1\nline two\nline 3\n');
      expect(repository.read(numbers)).toContain('line 29\nline 30\nline 31\n');

      await run('commit', session, '-m', 'Change three files');
      expect(repository.git('log', '-1', '--format=%s', '--name-only')).toBe(
        `Change three files\n\nnew.md\n${numbers}\nsrc/one.ts\n`,
      );
      await run('git', 'push', session);
      expect(repository.pushed).toBe(repository.head);
      expect(repository.git('status', '--porcelain')).toBe('');

      const chat = await stage.chat([session], { columns: 100 });
      await chat.until(afterTool);
      await chat.press('C-r');
      const shown = await chat.until('Changes of this session: 3 files, +3 -3');
      for (const line of [/A new\.md +\+1 -0/, /M src\/deep\/numbers\.txt +\+1 -1/, /M src\/one\.ts +\+1 -2/])
        expect(shown).toMatch(line);
      await chat.press('v');
      await chat.until(/turn.*: 1 file, \+1 -1/i);
      await chat.press('Enter');
      const diff = await chat.until('-line thirty');
      expect(diff).toContain('+line 30');
    },
    LONG_MS,
  );
});
