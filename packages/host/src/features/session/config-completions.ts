import {
  invalidParam,
  type SessionConfigPropertySchema,
  type SessionConfigValueItem,
} from '@agenthost/protocol';
import type { AgentProvider, CompleteConfig } from '../../agents/provider.ts';

/** Maximum number of values in one answer. */
const MAX_ITEMS = 100;

/** Values of one `enumDynamic` property [ROOT-4]. Throws `-32602` for other properties. */
export async function completeConfig(
  provider: AgentProvider,
  properties: Readonly<Record<string, SessionConfigPropertySchema>>,
  input: CompleteConfig,
): Promise<SessionConfigValueItem[]> {
  const property = Object.hasOwn(properties, input.property) ? properties[input.property] : undefined;
  if (property?.enumDynamic !== true) {
    throw invalidParam(
      'property',
      `expected a property with enumDynamic, got ${input.property.slice(0, 100)}`,
    );
  }
  const items = (await provider.completeConfig?.(input)) ?? fromEnum(property, input.query);
  return items.slice(0, MAX_ITEMS);
}

function fromEnum(
  { enum: values = [], enumLabels = [], enumDescriptions = [] }: SessionConfigPropertySchema,
  query: string,
): SessionConfigValueItem[] {
  const wanted = query.toLowerCase();
  return values.flatMap((value, index) => {
    if (typeof value !== 'string') return [];
    const label = enumLabels[index] ?? value;
    const description = enumDescriptions[index] ?? '';
    const isMatch = [value, label].some((text) => text.toLowerCase().includes(wanted));
    return isMatch ? [{ value, label, ...(description === '' ? {} : { description }) }] : [];
  });
}
