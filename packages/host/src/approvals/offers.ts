import { type ApprovalScope, type ConfirmationOption, TEXT_LIMITS } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ToolCallQuestion } from '../agents/tool-call.ts';
import { fileUriOf } from '../workspace/file-uri.ts';
import type { Ask } from './ask.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { alwaysOf, labelsFor } from './labels.ts';

/** The approval that the host remembers when an option is chosen. */
export interface Offer {
  readonly label: string;
  readonly scope: ApprovalScope;
  /** The calls that the host then allows; `undefined`: none. */
  readonly coverage: Coverage | undefined;
  /** True if the agent remembers the option itself, with a meaning that the host does not know. */
  readonly isAgents: boolean;
}

/** The options of a question, and the approvals that they lead to, by option id. */
export interface Offers {
  readonly options: readonly ConfirmationOption[];
  readonly remembers: ReadonlyMap<string, Offer>;
  /**
   * The approval for an answer "yes" without an option. Set if all of the agent's positive options are
   * permanent; the agent then gets the first.
   */
  readonly plainYes?: Offer;
  /** True if the host made the options; the agent does not know them. */
  readonly areHosts: boolean;
}

/**
 * The agent's options if it gives any, otherwise the host's, in the language of the client that started the
 * turn [CHAT-19].
 */
export function offersFor(
  ask: Ask,
  { options: given = [], alwaysOptions = [] }: Pick<ToolCallQuestion, 'options' | 'alwaysOptions'>,
  locale: string,
): Offers {
  // Clients could not choose an option with a longer id.
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
  const always = [...remembers].map(
    ([id, { label }]): ConfirmationOption => ({ id, label, kind: 'approve', group: 0, 'x-lasting': true }),
  );
  return { options: [allow, ...always, deny], remembers, areHosts: true };
}

/**
 * The agent's own options. Options for a single use come first, because most clients preselect the first one.
 * An option is remembered only if the agent declares it permanent, whatever its id is.
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
    // An id shared by two options does not identify the chosen one.
    const isUnique = given.filter(({ id }) => id === option.id).length === 1;
    if (isUnique && isLasting(option))
      remembers.set(option.id, { label: option.label, scope, coverage, isAgents: true });
  }
  const ofKind = (kind: ConfirmationOption['kind']): readonly ConfirmationOption[] =>
    given.filter((option) => option.kind === kind);
  const once = ofKind('approve').filter((option) => !isLasting(option));
  const lasting = ofKind('approve')
    .filter(isLasting)
    .map((option) => ({ ...option, label: lastingLabel(option.label), 'x-lasting': true as const }));
  const denials = ofKind('deny');
  const options = once.length > 0 ? [...once, ...lasting, ...denials] : [...denials, ...lasting];
  const plainYes = once.length > 0 ? undefined : remembers.get(lasting[0]?.id ?? '');
  return { options, remembers, areHosts: false, ...defined({ plainYes }) };
}
