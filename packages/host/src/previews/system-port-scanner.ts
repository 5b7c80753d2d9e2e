import { LinuxPortScanner } from './linux-port-scanner.ts';
import { MacPortScanner } from './mac-port-scanner.ts';
import type { PortScanner } from './port-scanner.ts';

/** The scanner of this system. `undefined`: there is none, as on Windows. */
export function systemPortScanner(platform: NodeJS.Platform = process.platform): PortScanner | undefined {
  if (platform === 'linux') return new LinuxPortScanner();
  return platform === 'darwin' ? new MacPortScanner() : undefined;
}
