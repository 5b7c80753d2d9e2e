import { type ApprovalScope, type ConfirmationOption, TEXT_LIMITS } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ToolCallQuestion } from '../agents/tool-call.ts';
import { fileUriOf } from '../workspace/file-uri.ts';
import type { Ask } from './ask.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { alwaysOf, labelsFor } from './labels.ts';

/** What choosing an option makes the host remember. */
export interface Offer {
  readonly label: string;
  readonly scope: ApprovalScope;
  /** What the host lets run by it; `undefined`: nothing. */
  readonly coverage: Coverage | undefined;
  /** The agent remembers it by itself, for whatever it means by it. */
  readonly isAgents: boolean;
}

/** The options of a question, and what they make the host remember, by id. */
export interface Offers {
  readonly options: readonly ConfirmationOption[];
  readonly remembers: ReadonlyMap<string, Offer>;
  /** What a yes that names no option makes the host remember: every yes that the agent offers is a lasting one, and it gets the first. */
  readonly plainYes?: Offer;
  /** The agent knows nothing of these options. */
  readonly areHosts: boolean;
}

/** The agent's options where it gives any, else the host's in the language of whoever started the turn [CHAT-19]. */
export function offersFor(
  ask: Ask,
  { options: given = [], alwaysOptions = [] }: Pick<ToolCallQuestion, 'options' | 'alwaysOptions'>,
  locale: string,
): Offers {
  // No client could choose one by a longer id.
  const options = given.filter(({ id }) => id.length <= TEXT_LIMITS.id.max);
  if (options.length > 0) return agentsOffers(ask, options, alwaysOptions, labelsFor(locale).agentsAlways);
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
    remembers.set(`always-${scope.kind}`, { label, scope, coverage, isAgents: false });
  }
  const always = [...remembers].map(([id, { label }]) => ({ id, label, kind: 'approve' as const, group: 0 }));
  return { options: [allow, ...always, deny], remembers, areHosts: true };
}

/**
 * The agent's own options, those that allow only once first: what is first is what most windows have under the cursor. Whatever their ids are,
 * only what the agent says holds for more than this call is remembered.
 */
function agentsOffers(
  ask: Ask,
  given: readonly ConfirmationOption[],
  alwaysOptions: readonly string[],
  lastingLabel: (label: string) => string,
): Offers {
  const coverage = coverageOf(ask, true);
  const scope: ApprovalScope = { kind: 'session', session: ask.session };
  const remembers = new Map<string, Offer>();
  const isLasting = ({ id, kind }: ConfirmationOption): boolean =>
    kind === 'approve' && alwaysOptions.includes(id);
  for (const option of given) {
    // An id that stands for two options does not say which was chosen.
    const isUnique = given.filter(({ id }) => id === option.id).length === 1;
    if (isUnique && isLasting(option))
      remembers.set(option.id, { label: option.label, scope, coverage, isAgents: true });
  }
  const ofKind = (kind: ConfirmationOption['kind']): readonly ConfirmationOption[] =>
    given.filter((option) => option.kind === kind);
  const once = ofKind('approve').filter((option) => !isLasting(option));
  const lasting = ofKind('approve')
    .filter(isLasting)
    .map((option) => ({ ...option, label: lastingLabel(option.label) }));
  const denials = ofKind('deny');
  const options = once.length > 0 ? [...once, ...lasting, ...denials] : [...denials, ...lasting];
  const plainYes = once.length > 0 ? undefined : remembers.get(lasting[0]?.id ?? '');
  return { options, remembers, areHosts: false, ...defined({ plainYes }) };
}
