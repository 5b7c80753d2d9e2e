import type { AgentInfo, Message } from '@agenthost/protocol';
import { beginningOf } from '../../lib/beginning-of.ts';

/** Models that a refusal names. */
const MAX_NAMED = 20;
/** UTF-16 code units of a model's id in a refusal. */
const MAX_ID_LENGTH = 100;

/**
 * Why a message cannot be sent with the model that it names; `undefined` when it can. An agent without a list takes any model: its models are
 * known only once it has started.
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
