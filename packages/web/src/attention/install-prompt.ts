import { useSyncExternalStore } from 'react';
import { Emitter } from '../live/emitter.ts';
import { isInstalledApp } from './push/push-support.ts';

/** An event of Chromium: the page can be installed, and the browser waits for the page to ask. */
interface BeforeInstallPromptEvent extends Event {
  prompt(): Promise<unknown>;
}

declare global {
  interface WindowEventMap {
    readonly beforeinstallprompt: BeforeInstallPromptEvent;
  }
}

/** Whether the page is installed, or the browser would install it when asked. */
export type InstallState = 'installed' | 'offered' | 'none';

const changed = new Emitter();
let offer: BeforeInstallPromptEvent | undefined;
let isInstalled = false;

/** Keeps the browser's offer for the settings, in place of a banner over the page. Called once, before the event can come. */
export function keepInstallOffer(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    offer = event;
    changed.emit();
  });
  window.addEventListener('appinstalled', () => {
    offer = undefined;
    isInstalled = true;
    changed.emit();
  });
}

const state = (): InstallState =>
  isInstalled || isInstalledApp() ? 'installed' : offer === undefined ? 'none' : 'offered';

/** Whether the page is installed or can be. */
export const useInstallState = (): InstallState => useSyncExternalStore(changed.add, state);

/** Shows the browser's question. Call it from a click while the state is `offered`. */
export async function install(): Promise<void> {
  const given = offer;
  // The browser answers an offer once.
  offer = undefined;
  changed.emit();
  await given?.prompt();
}
