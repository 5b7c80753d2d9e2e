import { outputLength } from '@agenthost/protocol';
import { textShown } from './shown.ts';
import type { SimClient } from './sim-client.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/** Shell-integration marks of the host's script and of other scripts, as simulated programs print them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what terminals are told by.
const MARK = /\u001b\](?:133|633);[^\u0007\u001b]*(?:\u0007|\u001b\\)/g;
/**
 * Checks that a late subscriber to a terminal sees its program's output since the last clear, across hosts and
 * regardless of other subscribers. Throws a `Violation`.
 */
export function checkOutput({ life, ptys, report }: World, auditor: SimClient): void {
  for (const { uri, confirmed } of auditor.mirrors()) {
    if (!('claim' in confirmed)) continue;
    const hostData = life?.host.core.sync.registry.getOf('terminal', uri)?.hostData;
    // It was removed, and the host shows what a turn has kept of it.
    if (hostData?.isHistory === true) continue;
    const id = hostData?.pty;
    const pty = ptys.ptys.findLast(({ spec }) => spec.id === id);
    if (pty === undefined) throw new Violation('output', `${uri}: no program was ever started for it`);
    // The next host reads its output.
    if (life?.hasLeftPrograms === true && !pty.isRead) continue;
    const whole = pty.text.replaceAll(MARK, '');
    // The parser may hold back an incomplete mark.
    if (whole.includes('\u001b')) continue;
    const shown = textShown(confirmed);
    if (!whole.endsWith(shown))
      throw new Violation('output', `${uri} shows ${tail(shown)}, and its program put out ${tail(whole)}`);
    const putOut = (confirmed['x-trimmed']?.units ?? 0) + outputLength(confirmed);
    if (putOut !== whole.length)
      throw new Violation(
        'output',
        `${uri} counts ${putOut} code units, and its program put out ${whole.length}`,
      );
    report.count('terminalsCompared');
  }
}

const tail = (text: string): string => `${text.length} code units, ${JSON.stringify(text.slice(-80))}`;
