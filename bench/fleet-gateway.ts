// A gateway of the fleet benchmark.
import { type RunningGateway, startGateway } from '@agenthost/host';
import { serve } from './process.ts';

let gateway: RunningGateway | undefined;

async function answer({ url, token }: { url: string; token: string }): Promise<{ url: string }> {
  gateway = await startGateway({ url, token, port: 0 });
  return { url: gateway.url };
}

serve(answer, () => gateway?.stop());
