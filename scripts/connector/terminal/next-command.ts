import type { Deployment } from '../deployment/deployment.ts';

/** A command to run next, whole: it can be copied, and means the same deployment. */
export function nextCommand(
  { where, stack, region, aws }: Pick<Deployment, 'where' | 'stack' | 'region' | 'aws'>,
  command: string,
): string {
  const place = where === 'aws' ? [`--stack ${stack}`, `--region ${region}`] : [];
  const account = aws.profile === undefined ? [] : [`--profile ${aws.profile}`];
  return ['npx loyalty-connector', command, ...place, ...account].join(' ');
}
