import type { StackOutput } from '../../../shared/config/stack-outputs.ts';
import { Problem } from '../problem.ts';
import type { Deployment } from './deployment.ts';

export function outputsOf(
  outputs: Readonly<Record<string, string>>,
  place: string,
  next: string,
): Deployment['output'] {
  return (name: StackOutput) => {
    const value = outputs[name];
    if (value) return value;
    throw new Problem(`${place} has no output "${name}", which this command needs.`, next);
  };
}
