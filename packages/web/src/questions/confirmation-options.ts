import type { ConfirmationOption } from '@agenthost/protocol';

/** The answers that an approval panel offers. Options without an id are plain yes and no. */
export interface PanelOptions {
  /** Approve this call only. */
  readonly once: readonly PanelOption[];
  /** Approve later calls too. */
  readonly lasting: readonly PanelOption[];
  readonly deny: readonly PanelOption[];
}

/** One answer. */
export interface PanelOption {
  /** Absent: plain yes or no. */
  readonly id?: string;
  /** Absent: the page's own word. */
  readonly label?: string;
}

/**
 * Groups the options of a tool call. Without options there are plain yes and no, or no alone if the host refuses every approval. A plain yes is not added
 * to options of the agent, because it could stand for a lasting approval.
 */
export function groupOptions(
  options: readonly ConfirmationOption[] | undefined,
  canApprove = true,
): PanelOptions {
  if (options === undefined || options.length === 0)
    return { once: canApprove ? [{}] : [], lasting: [], deny: [{}] };
  const ordered = options
    .map((option, index) => ({ option, index }))
    .sort((a, b) => (a.option.group ?? 0) - (b.option.group ?? 0) || a.index - b.index)
    .map(({ option }) => option);
  const approving = ordered.filter(({ kind }) => kind === 'approve');
  const deny = ordered.filter(({ kind }) => kind === 'deny');
  return {
    once: approving.filter((option) => option['x-lasting'] !== true).map(panelOption),
    lasting: approving.filter((option) => option['x-lasting'] === true).map(panelOption),
    deny: deny.length === 0 ? [{}] : deny.map(panelOption),
  };
}

const panelOption = ({ id, label }: ConfirmationOption): PanelOption => ({ id, label });

/** All options in the order of the number keys: for this call, to deny, lasting. */
export const numbered = ({ once, lasting, deny }: PanelOptions): readonly PanelOption[] => [
  ...once,
  ...deny,
  ...lasting,
];
