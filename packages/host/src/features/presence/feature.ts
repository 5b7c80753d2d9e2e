import type { PresentClients } from '../../presence/present-clients.ts';
import type { Feature } from '../feature.ts';

/** `x-setPresence`: clients tell what they show, and see where other clients are. */
export function presenceFeature(presentClients: PresentClients): Feature {
  return {
    name: 'presence',
    commands: {
      'x-setPresence': (params, { sink }) => {
        presentClients.set(sink, params);
        return null;
      },
    },
    stop: () => presentClients.stop(),
  };
}
