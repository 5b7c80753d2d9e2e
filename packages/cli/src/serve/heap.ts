import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's young generation as small as it began until the returned function is called: loading modules makes it eight times as
 * large, because what they leave stays, and a host that waits for work has no use for that. A host's own start sees to it by itself.
 */
export function holdYoungGeneration(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1');
  return () => setFlagsFromString('--semi-space-growth-factor=2');
}
