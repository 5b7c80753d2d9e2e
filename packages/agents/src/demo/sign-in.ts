import type { DemoStage } from './step.ts';

/** The resource that the call needs a token for; it does not exist. */
const RESOURCE = {
  resource: 'https://recipes.example/mcp',
  resource_name: 'Recipes',
  authorization_servers: ['https://login.example'],
};

/** `signin`: a call of an MCP tool that waits for an access token. Any token is accepted. */
export async function signIn({ output }: DemoStage): Promise<void> {
  const call = output.toolCall({
    toolName: 'get_recipe',
    displayName: 'Get a recipe',
    contributor: { kind: 'mcp', customizationId: 'recipes' },
  });
  call.run({ invocationMessage: 'Get a recipe', toolInput: '{"name":"rye bread"}' });
  const token = await call.signIn({
    reason: 'required',
    resource: RESOURCE,
    requiredScopes: ['recipes:read'],
    description: 'Recipes are for members.',
  });
  if (token === undefined) return output.markdown('Not signed in, so there is no recipe.');
  await call.complete({ success: true, pastTenseMessage: 'Got a recipe' });
  return output.markdown('Signed in. Rye bread: flour, water, salt.');
}
