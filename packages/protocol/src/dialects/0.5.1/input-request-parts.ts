import type { Reshaping } from '../step.ts';

/** Answered input requests and outputs of commands had no parts of their own. */
export const inputRequestParts: Reshaping = {
  down: {
    shapes: {
      InputRequestPart: () => undefined,
      ResponsePart: (part) => (part.kind === 'inputRequest' ? undefined : part),
      ToolResultContent: (content) =>
        content.type === 'terminalComplete' ? { type: 'text', text: content.preview ?? '' } : content,
    },
  },
};
