import type { ToolCallAnswer } from '@agenthost/host/agent';
import type { ConfirmationOption } from '@agenthost/protocol';
import { type JsonObject, objectsOf, stringOf, textOf } from '../json.ts';

interface Choice {
  /** As the agent knows it. */
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

/** The options of a permission request, as people see them and as the agent wants them back. */
export class PermissionChoices {
  readonly #choices: readonly Choice[];

  constructor(params: JsonObject) {
    this.#choices = objectsOf(params['options']).flatMap((option, index): Choice[] => {
      const optionId = stringOf(option['optionId']);
      if (optionId === undefined) return [];
      const kind = stringOf(option['kind']) ?? '';
      // The number keeps ids apart: agents use the same kind twice, and nothing keeps them from using an id twice.
      const id = `${index}:${optionId}`;
      const label = textOf(option['name']) ?? DEFAULT_LABELS[kind] ?? optionId;
      // A kind that we do not know approves nothing.
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

  /** Ids of those that the agent itself remembers. */
  get always(): readonly string[] {
    return this.#choices.flatMap(({ kind, shown }) => (kind === 'allow_always' ? [shown.id] : []));
  }

  /**
   * The agent's option for an answer: the one that was picked, else, for a plain approval or denial, the first of that kind that holds
   * once, else the first of that kind at all. `undefined` means cancelled: nobody answered, or the agent offered nothing that fits.
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
