import type { ApprovalScope, ConfirmationOption } from '@agenthost/protocol';
import type { ToolCallQuestion } from '../agents/tool-call.ts';
import { fileUriOf } from '../workspace/file-uri.ts';
import type { Ask } from './ask.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { alwaysOf, labelsFor } from './labels.ts';

/** What choosing an option makes the host remember. */
export interface Offer {
  readonly label: string;
  readonly scope: ApprovalScope;
  readonly coverage: Coverage;
}

/** The options of a question, and what they make the host remember, by id. */
export interface Offers {
  readonly options: readonly ConfirmationOption[];
  readonly remembers: ReadonlyMap<string, Offer>;
  /** The agent knows nothing of these options. */
  readonly areHosts: boolean;
}

/** The agent's options where it gives any, else the host's in the language of whoever started the turn [CHAT-19]. */
export function offersFor(
  ask: Ask,
  { options, alwaysOptions = [] }: Pick<ToolCallQuestion, 'options' | 'alwaysOptions'>,
  locale: string,
): Offers {
  if (options !== undefined && options.length > 0) return agentsOffers(ask, options, alwaysOptions);
  const labels = labelsFor(locale);
  const allow: ConfirmationOption = { id: 'allow', label: labels.allow, kind: 'approve', group: 0 };
  const deny: ConfirmationOption = { id: 'deny', label: labels.deny, kind: 'deny', group: 1 };
  const coverage = coverageOf(ask, false);
  if (coverage === undefined) return { options: [allow, deny], remembers: new Map(), areHosts: true };
  const { folder } = ask;
  const scopes: ApprovalScope[] = [
    { kind: 'session', session: ask.session },
    ...(folder === undefined ? [] : [{ kind: 'folder' as const, folder: fileUriOf(folder) }]),
  ];
  const remembers = new Map<string, Offer>();
  for (const scope of scopes) {
    const label = labels.always(alwaysOf(coverage.shown, ask), scope.kind);
    remembers.set(`always-${scope.kind}`, { label, scope, coverage });
  }
  const always = [...remembers].map(([id, { label }]) => ({ id, label, kind: 'approve' as const, group: 0 }));
  return { options: [allow, ...always, deny], remembers, areHosts: true };
}

/** The agent's own options. Whatever their ids are, only what it says holds for more than this call is remembered. */
function agentsOffers(
  ask: Ask,
  options: readonly ConfirmationOption[],
  alwaysOptions: readonly string[],
): Offers {
  const coverage = coverageOf(ask, true);
  const remembers = new Map<string, Offer>();
  if (coverage === undefined) return { options, remembers, areHosts: false };
  for (const { id, label, kind } of options) {
    // An id that stands for two options does not say which was chosen.
    const isUnique = options.filter((other) => other.id === id).length === 1;
    if (kind !== 'approve' || !isUnique || !alwaysOptions.includes(id)) continue;
    remembers.set(id, { label, scope: { kind: 'session', session: ask.session }, coverage });
  }
  return { options, remembers, areHosts: false };
}
