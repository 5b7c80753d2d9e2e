import { CHANNEL_LIMITS, excessOf, type RootConfigState, weightOf } from '@agenthost/protocol';
import { findHostConfigFault, missingDefaults } from '../../config/host-config.ts';
import { type ChannelModule, type Rejection, reject } from '../../handler-port/channel-module.ts';

/** Plans actions of clients on the root channel: changes of the host's config [ROOT-5]. */
export function rootModule(): ChannelModule<'root'> {
  return {
    plan: (root, action) => {
      if (action.type !== 'root/configChanged' || root.state.config === undefined) return { action };
      return (
        checkChange(root.state.config, action) ?? {
          action,
          after: (tx) => {
            if (root.state.config === undefined) return;
            const config = missingDefaults(root.state.config);
            if (Object.keys(config).length > 0) tx.emit(root, { type: 'root/configChanged', config });
          },
        }
      );
    },
  };
}

function checkChange(
  { schema, values }: RootConfigState,
  { config, replace = false }: { config: Record<string, unknown>; replace?: boolean },
): Rejection | undefined {
  const fault = findHostConfigFault(schema, config);
  if (fault !== undefined) return reject('invalidConfig', fault);
  const { configLength } = CHANNEL_LIMITS;
  const length = weightOf(replace ? config : { ...values, ...config });
  if (length > configLength.max) return reject('tooLarge', excessOf(configLength, length));
  const isReadOnly = (key: string): boolean => schema.properties[key]?.readOnly === true;
  const touched = Object.keys(config).find(
    (key) => isReadOnly(key) && !(replace && config[key] === values[key]),
  );
  if (touched !== undefined) return reject('readOnly', `${touched} was fixed when the host was started`);
  const dropped = replace
    ? Object.keys(values).find((key) => isReadOnly(key) && !Object.hasOwn(config, key))
    : undefined;
  return dropped === undefined ? undefined : reject('readOnly', `A replacement must keep ${dropped}`);
}
