import type { AgentInfo, Message } from '@agenthost/protocol';
import { beginningOf } from '../lib/beginning-of.ts';

/** Maximum number of models named in a refusal. */
const MAX_NAMED = 20;
/** Maximum UTF-16 code units of a model's id in a refusal. */
const MAX_ID_LENGTH = 100;

/**
 * Why a message cannot be sent with its model; `undefined` if it can. An agent without a list of models
 * accepts any: its models are known only after its first start.
 */
export function modelProblem(
  { model }: Pick<Message, 'model'>,
  agent: Pick<AgentInfo, 'provider' | 'models'> | undefined,
): string | undefined {
  if (model === undefined || agent === undefined || agent.models.length === 0) return undefined;
  if (agent.models.some(({ id }) => id === model.id)) return undefined;
  const named = agent.models.slice(0, MAX_NAMED).map(({ id }) => cut(id));
  const rest = agent.models.length - named.length;
  const others = rest === 0 ? '' : ` and ${rest} more`;
  return `Agent ${agent.provider} has no model ${JSON.stringify(cut(model.id))}; it has ${named.join(', ')}${others}`;
}

const cut = (id: string): string => (id.length > MAX_ID_LENGTH ? `${beginningOf(id, MAX_ID_LENGTH)}…` : id);
