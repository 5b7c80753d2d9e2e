import { isObject, type Json, listOf, without } from '../reshape.ts';
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

/** The chat named the model and agent of its last message; messages named none. */
function withLastChoice(chat: Json): Json {
  const turn = isObject(chat.activeTurn) ? chat.activeTurn : listOf(chat.turns).at(-1);
  const message = isObject(turn) && isObject(turn.message) ? turn.message : {};
  const rest = without(chat, 'draft');
  return {
    ...rest,
    ...(isObject(message.model) ? { model: inTexts(message.model) } : {}),
    ...(isObject(message.agent) ? { agent: message.agent } : {}),
  };
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
    shapes: { ChatState: withLastChoice, Message: ofMessage, ConfigSchema: ofSchema, AgentInfo: ofModels },
  },
};
