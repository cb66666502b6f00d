import type { CommonOptions } from '../session.ts';
import type { Deployment } from './deployment.ts';
import { findLocalStack } from './local-stack.ts';

/**
 * The deployed stack that was named, by option or by CONNECTOR_STACK, else the one that runs on this
 * machine. A named one is never replaced by the local one: whoever means production must not mend the
 * wrong thing.
 */
export async function findDeployment(options: CommonOptions): Promise<Deployment> {
  const stack = options.stack ?? process.env.CONNECTOR_STACK;
  if (stack === undefined || stack === '') return findLocalStack();
  const { findDeployedStack } = await import('./deployed-stack.ts');
  return findDeployedStack({ ...options, stack });
}
