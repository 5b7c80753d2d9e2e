import { type AutomationRunState, isRunOver, type URI } from '@agenthost/protocol';
import { ChannelLost } from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';

/** A run of an automation, live. Dispose it after use; the run goes on. */
export class AutomationRunHandle {
  readonly mirror: Mirror<'automationRun'>;

  constructor(mirror: Mirror<'automationRun'>) {
    this.mirror = mirror;
  }

  get uri(): URI {
    return this.mirror.uri;
  }

  get state(): AutomationRunState {
    return this.mirror.state;
  }

  /** Resolves with the state of the run when it has ended [RUN-2]. Rejects with `ChannelLost` when the host drops the run before. */
  ended(): Promise<AutomationRunState> {
    const { mirror } = this;
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (isRunOver(mirror.confirmed)) resolve(mirror.confirmed);
        else if (mirror.isLost) reject(new ChannelLost(mirror.uri));
        else return;
        stop();
      };
      const stop = mirror.onChange(look);
      look();
    });
  }

  /** Cancels the run and its turn [RUN-3]. Rejected with `runOver` when it has ended. */
  cancel(): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'automationRun/cancelRequested' });
  }

  /** Stops the updates. Calling it again does nothing. */
  dispose(): void {
    this.mirror.dispose();
  }
}
