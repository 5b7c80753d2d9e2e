import type { PresentClients } from '../../presence/present-clients.ts';
import type { Feature } from '../feature.ts';

/** `x-setPresence`: clients report their presence, and see that of other clients. */
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
