import type { AhpClient } from '@agenthost/client';
import { type AgentInfo, ROOT_URI } from '@agenthost/protocol';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** Models that a line names. */
const maxNamed = 20;

/** Ids of models, for people; '' when there are none. */
export function modelNames(ids: readonly string[]): string {
  const named = ids.slice(0, maxNamed).map((id) => oneLine(id, 100));
  const rest = ids.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Whether an agent takes messages for this model. An agent without a list takes any model: its models are known only once it has started. */
export const hasModel = ({ models }: Pick<AgentInfo, 'models'>, model: string): boolean =>
  models.length === 0 || models.some(({ id }) => id === model);

/** Checks the `--model` of a message to this agent, or to the host's default one. Throws a usage error that names the models there are. */
export async function checkModel(
  client: AhpClient,
  model: string | undefined,
  provider: string | undefined,
): Promise<void> {
  if (model === undefined) return;
  const root = await client.subscribe(ROOT_URI);
  try {
    const { agents, config } = root.state;
    const wanted = provider ?? config?.values['defaultAgent'];
    const agent = agents.find((each) => each.provider === wanted);
    if (agent === undefined || hasModel(agent, model)) return;
    throw usageError(
      `--model: ${oneLine(agent.provider)} has no model ${oneLine(model) || '(nothing)'}; it has ${modelNames(agent.models.map(({ id }) => id))}`,
    );
  } finally {
    root.dispose();
  }
}

/** Checks the `--model` of messages to whichever agent has it. Throws a usage error that names the models there are when none has. */
export async function checkAnyModel(client: AhpClient, model: string | undefined): Promise<void> {
  if (model === undefined) return;
  const root = await client.subscribe(ROOT_URI);
  try {
    const { agents } = root.state;
    if (agents.length === 0 || agents.some((agent) => hasModel(agent, model))) return;
    const known = agents.map(
      ({ provider, models }) => `${oneLine(provider)} has ${modelNames(models.map(({ id }) => id))}`,
    );
    throw usageError(`--model: no agent has a model ${oneLine(model) || '(nothing)'}; ${known.join('; ')}`);
  } finally {
    root.dispose();
  }
}
