import { basePath } from '../app/paths.ts';

/** The name under which this browser keeps something. Hosts below several base paths of one origin share its storage, so their names differ. */
export function storageName(name: string): string {
  const base = basePath();
  return base === '/' ? `agenthost.${name}` : `agenthost.${base}.${name}`;
}
