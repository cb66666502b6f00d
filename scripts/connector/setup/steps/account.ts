import { runCdk } from '../../deploy/run-cdk.ts';
import { describeStack } from '../../deployment/describe-stack.ts';
import { fitToAccount } from '../../deployment/fit-to-account.ts';
import { readCaller } from '../../deployment/read-caller.ts';
import { blocked, done, open, type Step } from '../step.ts';
import type { World } from '../world.ts';

const accountOf = (arn: string): string => arn.split(':')[4] ?? '';

export function accountStep(world: World): Step {
  const { aws, stack, where } = world;
  return {
    title: where === 'aws' ? 'AWS account' : 'AWS on this machine',
    async look() {
      const { arn } = await readCaller(aws);
      return done(`${stack} in ${aws.region}, account ${accountOf(arn)}, as ${arn}`);
    },
  };
}

/** The stack that `cdk bootstrap` makes; its name is CDK's default. */
const BOOTSTRAP_STACK = 'CDKToolkit';
/** What CDK's assets need ("Bootstrap template version history"). */
const LEAST_VERSION = 6;

export function bootstrapStep(world: World): Step {
  const { aws } = world;
  return {
    title: 'CDK bootstrap',
    async look() {
      const outputs = (await describeStack(aws, BOOTSTRAP_STACK))?.Outputs ?? [];
      const output = outputs.find(({ OutputKey }) => OutputKey === 'BootstrapVersion');
      const version = Number(output?.OutputValue ?? 0);
      return version >= LEAST_VERSION
        ? done(`${BOOTSTRAP_STACK} has version ${version}`)
        : open(`${aws.region} is not prepared for CDK: its bucket and roles are missing.`);
    },
    async act() {
      const { arn } = await readCaller(aws);
      const place = `aws://${accountOf(arn)}/${aws.region}`;
      const command = `cdk bootstrap ${place}`;
      if (!(await world.agrees(`Run ${command}?`))) {
        return blocked('The account is not prepared for CDK.', `Agree, or run: npx ${command}`);
      }
      const { ok } = await runCdk(['bootstrap', place], aws);
      return ok ? undefined : blocked('cdk bootstrap failed.', 'Its output above says why.');
    },
  };
}

/** `deploy` fits the workers to the quota; here the user learns of it before the first deployment. */
export function quotaStep(world: World): Step {
  const { aws, stack } = world;
  return {
    title: 'Lambda quota',
    async look() {
      const fitted = await fitToAccount(aws, stack, await world.connector());
      if (fitted.kind === 'fits') return done(fitted.summary);
      const [what = '', ...ways] = fitted.why;
      return blocked(what, ways.join('\n'));
    },
  };
}
