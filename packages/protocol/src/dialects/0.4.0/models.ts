import { isObject, type Json, type Look, listOf, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** Values of a model's settings were texts. */
function inTexts(model: Json): Json {
  if (!isObject(model.config)) return model;
  const config = Object.fromEntries(
    Object.entries(model.config).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : String(value),
    ]),
  );
  return { ...model, config };
}

/** A model and an agent as fields. */
const shown = ({ model, agent }: { readonly model?: unknown; readonly agent?: unknown }): Json => ({
  ...(isObject(model) ? { model: inTexts(model) } : {}),
  ...(isObject(agent) ? { agent } : {}),
});

/** The chat named the model and agent that were chosen for it, else those of its last message; messages named none. */
function withLastChoice(chat: Json, { channel = '', choices }: Look): Json {
  const turn = isObject(chat.activeTurn) ? chat.activeTurn : listOf(chat.turns).at(-1);
  const message = isObject(turn) && isObject(turn.message) ? turn.message : {};
  const rest = without(chat, 'draft');
  return { ...rest, ...shown(message), ...shown(choices?.(channel)?.chosen ?? {}) };
}

/** Entries of catalogues named them too. Partial entries name no channel. */
function withChoice(summary: Json, { choices }: Look): Json {
  const known = typeof summary.resource === 'string' ? choices?.(summary.resource) : undefined;
  return known === undefined ? summary : { ...summary, ...shown(known.last), ...shown(known.chosen) };
}

/** A message of a client that chooses for sessions and chats. */
const withChosen = (message: Json, { channel = '', choices }: Look): Json => {
  const chosen = choices?.(channel)?.chosen;
  return chosen === undefined ? message : { ...chosen, ...message };
};

/** The choice in an action; `undefined`: the action is another one. A field that is `undefined` ends the earlier choice. */
export function choiceOf(action: unknown): { model?: unknown; agent?: unknown } | undefined {
  if (!isObject(action)) return undefined;
  if (action.type === 'session/modelChanged') return { model: action.model };
  return action.type === 'session/agentChanged' ? { agent: action.agent } : undefined;
}

/** The first message of a chat has the choice for the chat. */
function ofNewChat(params: Json): Json {
  const { model, agent, initialMessage } = params;
  if (!isObject(initialMessage)) return params;
  const chosen = { ...(model === undefined ? {} : { model }), ...(agent === undefined ? {} : { agent }) };
  return { ...params, initialMessage: { ...chosen, ...initialMessage } };
}

const ofMessage = (message: Json): Json => without(message, 'model', 'agent');

/** Choices were texts only, at any depth of a schema. */
function textChoices(property: Json): Json {
  const next: Record<string, unknown> = { ...property };
  if (Array.isArray(next['enum'])) next['enum'] = next['enum'].filter((value) => typeof value === 'string');
  for (const field of ['items', 'additionalProperties']) {
    const held = next[field];
    if (isObject(held)) next[field] = textChoices(held);
  }
  if (isObject(next['properties'])) next['properties'] = eachOf(next['properties']);
  return next;
}

const eachOf = (properties: Json): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [
      key,
      isObject(property) ? textChoices(property) : property,
    ]),
  );

const ofSchema = (schema: Json): Json =>
  isObject(schema.properties) ? { ...schema, properties: eachOf(schema.properties) } : schema;

/** A model named one limit of tokens only. */
function ofModel(model: Json): Json {
  const known = without(model, 'maxOutputTokens', 'maxPromptTokens');
  return isObject(known.configSchema) ? { ...known, configSchema: ofSchema(known.configSchema) } : known;
}

const ofModels = (agent: Json): Json => ({
  ...agent,
  models: listOf(agent.models).map((model) => (isObject(model) ? ofModel(model) : model)),
});

/** Chats named models and agents, not messages; settings and their choices were texts. */
export const models: Reshaping = {
  down: {
    shapes: {
      ChatState: withLastChoice,
      ChatSummary: withChoice,
      SessionSummary: withChoice,
      Message: ofMessage,
      ConfigSchema: ofSchema,
      AgentInfo: ofModels,
    },
  },
  up: { shapes: { Message: withChosen }, params: { createChat: ofNewChat } },
};
