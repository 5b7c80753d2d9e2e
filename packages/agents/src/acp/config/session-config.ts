import type { ResolvedConfig } from '@agenthost/host/agent';
import type {
  SessionConfigPropertySchema,
  SessionConfigValueItem,
  SessionModelInfo,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type JsonObject, numberOf, objectOf, objectsOf, stringOf, textOf } from '../json.ts';

/** Number of choices of a property that are listed. Further ones are found by completion [ROOT-4]. */
const MAX_LISTED_CHOICES = 50;

/** A request that changes a value, without the session id. */
export interface ConfigChange {
  readonly method: 'session/set_mode' | 'session/set_model' | 'session/set_config_option';
  readonly params: JsonObject;
}

interface Choice {
  readonly value: string;
  readonly name: string;
  readonly description: string;
  readonly meta: JsonObject;
}

/**
 * Modes, models and options of an agent session. Agents offer them as `modes`, `models` or `configOptions`,
 * sometimes both ways at once. For models the option takes precedence over the older form, whose method is
 * being removed. Modes are set by `session/set_mode` where the agent offers `modes`, which agents with both
 * forms accept. Models are selected per message and are not config.
 */
export class AgentSessionConfig {
  #modes: readonly Choice[] = [];
  #modeId: string | undefined;
  #models: readonly Choice[] = [];
  #modelId: string | undefined;
  #options: readonly JsonObject[] = [];

  /**
   * Reads the answer to `session/new`, `load`, `resume` or `set_config_option`. Members that are absent stay
   * as they were.
   */
  read(response: JsonObject): void {
    const modes = objectOf(response['modes']);
    if (Array.isArray(modes['availableModes'])) {
      this.#modes = readChoices(modes['availableModes'], 'id');
      this.#modeId = textOf(modes['currentModeId']);
    }
    const models = objectOf(response['models']);
    if (Array.isArray(models['availableModels'])) {
      this.#models = readChoices(models['availableModels'], 'modelId');
      this.#modelId = textOf(models['currentModelId']);
    }
    if (Array.isArray(response['configOptions'])) this.setOptions(objectsOf(response['configOptions']));
  }

  /** Replaces all options. */
  setOptions(options: readonly JsonObject[]): void {
    this.#options = options.filter((option) => textOf(option['id']) !== undefined);
    const mode = this.#optionFor('mode');
    if (mode !== undefined) this.#modeId = textOf(mode['currentValue']) ?? this.#modeId;
  }

  /** The agent has changed its mode. */
  setMode(modeId: string): void {
    this.#modeId = modeId;
    this.#options = this.#options.map((option) =>
      option === this.#optionFor('mode') ? { ...option, currentValue: modeId } : option,
    );
  }

  /** The agent's models, for `AgentInfo`. */
  models(provider: string): SessionModelInfo[] {
    const option = this.#optionFor('model');
    const choices = option === undefined ? this.#models : readOptionChoices(option);
    return choices.map(({ value, name, meta }) => {
      const maxContextWindow =
        numberOf(meta['contextLimit']) ??
        numberOf(this.#models.find((model) => model.value === value)?.meta['contextLimit']);
      return { id: value, provider, name, ...defined({ maxContextWindow }) };
    });
  }

  /** Session config with the agent's present values as values and defaults. */
  resolved(): ResolvedConfig {
    const properties: Record<string, SessionConfigPropertySchema> = {};
    const values: Record<string, unknown> = {};
    const modeOption = this.#optionFor('mode');
    if (modeOption === undefined && this.#modes.length > 0) {
      properties['mode'] = enumProperty('Mode', undefined, this.#modes, this.#modeId);
      if (this.#modeId !== undefined) values['mode'] = this.#modeId;
    }
    for (const option of this.#options) {
      if (option === this.#optionFor('model')) continue;
      const key = option === modeOption ? 'mode' : (textOf(option['id']) ?? '');
      const property = optionProperty(option);
      if (property === undefined) continue;
      properties[key] = property;
      if (property.default !== undefined) values[key] = property.default;
    }
    return { schema: { type: 'object', properties }, values };
  }

  /**
   * The choices of a property whose value or name contains the query. `undefined` when the agent has no such
   * property.
   */
  complete(key: string, query: string): SessionConfigValueItem[] | undefined {
    const option =
      key === 'mode' ? this.#optionFor('mode') : this.#options.find((known) => known['id'] === key);
    if (option === undefined && key !== 'mode') return undefined;
    const choices = option === undefined ? this.#modes : readOptionChoices(option);
    const wanted = query.toLowerCase();
    return choices
      .filter(({ value, name }) => [value, name].some((text) => text.toLowerCase().includes(wanted)))
      .map(({ value, name, description }) => ({
        value,
        label: name,
        ...(description === '' ? {} : { description }),
      }));
  }

  /**
   * The request that sets `key` to `value`. `undefined` when it has this value already, or the agent does not
   * know it.
   */
  change(key: string, value: unknown): ConfigChange | undefined {
    if (key === 'mode' && this.#modes.some((mode) => mode.value === value)) {
      return value === this.#modeId ? undefined : { method: 'session/set_mode', params: { modeId: value } };
    }
    const option =
      key === 'mode' ? this.#optionFor('mode') : this.#options.find((known) => known['id'] === key);
    if (option === undefined || option === this.#optionFor('model') || option['currentValue'] === value) {
      return undefined;
    }
    return optionChange(option, value);
  }

  /** Whether the agent offers this model. */
  hasModel(modelId: string): boolean {
    return this.models('').some((model) => model.id === modelId);
  }

  /**
   * The request that selects the model `modelId`. `undefined` when it is selected already, or the agent does
   * not offer it.
   */
  changeModel(modelId: string): ConfigChange | undefined {
    const option = this.#optionFor('model');
    if (option !== undefined) {
      return option['currentValue'] === modelId ? undefined : optionChange(option, modelId);
    }
    if (modelId === this.#modelId || !this.#models.some((model) => model.value === modelId)) return undefined;
    return { method: 'session/set_model', params: { modelId } };
  }

  /** The agent accepted a change: its values apply, unless the answer contains others. */
  applied(change: ConfigChange, answer: JsonObject): void {
    const { modeId, modelId, configId, value } = change.params;
    if (typeof modeId === 'string') this.setMode(modeId);
    if (typeof modelId === 'string') this.#modelId = modelId;
    if (configId !== undefined) {
      this.setOptions(
        this.#options.map((option) =>
          option['id'] === configId ? { ...option, currentValue: value } : option,
        ),
      );
    }
    this.read(answer);
  }

  #optionFor(category: 'mode' | 'model'): JsonObject | undefined {
    return (
      this.#options.find((option) => option['category'] === category) ??
      this.#options.find((option) => option['id'] === category)
    );
  }
}

function optionChange(option: JsonObject, value: unknown): ConfigChange | undefined {
  const params = { configId: option['id'], value };
  if (option['type'] === 'boolean') {
    return typeof value === 'boolean'
      ? { method: 'session/set_config_option', params: { ...params, type: 'boolean' } }
      : undefined;
  }
  return readOptionChoices(option).some((choice) => choice.value === value)
    ? { method: 'session/set_config_option', params }
    : undefined;
}

function optionProperty(option: JsonObject): SessionConfigPropertySchema | undefined {
  const title = textOf(option['name']) ?? textOf(option['id']) ?? '';
  const description = textOf(option['description']);
  if (option['type'] === 'boolean') {
    return {
      type: 'boolean',
      title,
      default: option['currentValue'] === true,
      sessionMutable: true,
      ...defined({ description }),
    };
  }
  const choices = readOptionChoices(option);
  if (choices.length === 0) return undefined;
  return enumProperty(title, description, choices, textOf(option['currentValue']));
}

function enumProperty(
  title: string,
  description: string | undefined,
  choices: readonly Choice[],
  current: string | undefined,
): SessionConfigPropertySchema {
  const listed = choices.slice(0, MAX_LISTED_CHOICES);
  return {
    type: 'string',
    title,
    enum: listed.map((choice) => choice.value),
    enumLabels: listed.map((choice) => choice.name),
    enumDescriptions: listed.map((choice) => choice.description),
    ...(choices.length > listed.length ? { enumDynamic: true } : {}),
    sessionMutable: true,
    ...defined({ description, default: current }),
  };
}

/** The choices of a select option, flat or in groups. */
function readOptionChoices(option: JsonObject): Choice[] {
  const entries = objectsOf(option['options']).flatMap((entry) =>
    Array.isArray(entry['options']) ? objectsOf(entry['options']) : [entry],
  );
  return readChoices(entries, 'value');
}

function readChoices(entries: unknown, idMember: string): Choice[] {
  return objectsOf(entries).flatMap((entry) => {
    const value = stringOf(entry[idMember]);
    if (value === undefined) return [];
    return [
      {
        value,
        name: textOf(entry['name']) ?? value,
        description: stringOf(entry['description']) ?? '',
        meta: objectOf(entry['_meta']),
      },
    ];
  });
}
