import type { ToolCallAnswer } from '@agenthost/host/agent';
import type { ConfirmationOption } from '@agenthost/protocol';
import { type JsonObject, objectsOf, stringOf, textOf } from '../json.ts';

interface Choice {
  /** The agent's id. */
  readonly optionId: string;
  readonly kind: string;
  readonly shown: ConfirmationOption;
}

const DEFAULT_LABELS: Readonly<Record<string, string>> = {
  allow_once: 'Allow',
  allow_always: 'Always allow',
  reject_once: 'Reject',
  reject_always: 'Always reject',
};

/** The options of a permission request, for people and for the answer to the agent. */
export class PermissionChoices {
  readonly #choices: readonly Choice[];

  constructor(params: JsonObject) {
    this.#choices = objectsOf(params['options']).flatMap((option, index): Choice[] => {
      const optionId = stringOf(option['optionId']);
      if (optionId === undefined) return [];
      const kind = stringOf(option['kind']) ?? '';
      // The number makes ids unique: agents may use the same id or kind twice.
      const id = `${index}:${optionId}`;
      const label = textOf(option['name']) ?? DEFAULT_LABELS[kind] ?? optionId;
      // An unknown kind never approves.
      const isApproval = kind.startsWith('allow');
      return [
        {
          optionId,
          kind,
          shown: { id, label, kind: isApproval ? 'approve' : 'deny', group: isApproval ? 0 : 1 },
        },
      ];
    });
  }

  /** In the agent's order. */
  get shown(): readonly ConfirmationOption[] {
    return this.#choices.map((choice) => choice.shown);
  }

  /** Ids of the options that the agent itself remembers. */
  get always(): readonly string[] {
    return this.#choices.flatMap(({ kind, shown }) => (kind === 'allow_always' ? [shown.id] : []));
  }

  /**
   * The agent's option for an answer: the selected one, else for a plain approval or denial the first option
   * of that kind that applies once, else the first of that kind. `undefined` means cancelled: there was no
   * answer, or no option fits.
   */
  optionFor(answer: ToolCallAnswer): string | undefined {
    if (!answer.approved && answer.reason === 'skipped') return undefined;
    const picked = this.#choices.find((choice) => choice.shown.id === answer.selectedOption?.id);
    if (picked !== undefined) return picked.optionId;
    const wanted = answer.approved ? 'approve' : 'deny';
    const fitting = this.#choices.filter((choice) => choice.shown.kind === wanted);
    return (fitting.find((choice) => choice.kind.endsWith('_once')) ?? fitting[0])?.optionId;
  }
}
