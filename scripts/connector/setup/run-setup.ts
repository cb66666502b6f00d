import { type Finding, findingsBlock } from '../checks/check.ts';
import type { Deployment } from '../deployment/deployment.ts';
import {
  findDeployedStack,
  findLocalStack,
  openAws,
  readStageSettings,
  stageOfStack,
} from '../deployment/find-deployment.ts';
import { examine } from '../doctor/doctor.ts';
import { exitCodeOf, text } from '../document/document.ts';
import { printDocument } from '../document/print-document.ts';
import { shopsOf } from '../session/arguments.ts';
import type { Session } from '../session/session.ts';
import { BadArguments, type ExitCode } from '../terminal/exit.ts';
import { shopSteps } from './shop-steps.ts';
import {
  accountStep,
  alarmsStep,
  bootstrapStep,
  deployStep,
  quotaStep,
  settingsStep,
} from './stack-steps.ts';
import { runStep, type SetupDeps, type SetupOptions, type Step } from './step.ts';

/** Every step in turn → doctor → what is left, and the first order. */
export async function runSetup(session: Session, options: SetupOptions): Promise<ExitCode> {
  if (options.json) {
    throw new BadArguments('setup has no --json; "doctor --json" shows the state that it reached.');
  }
  const { deps, deployed, isDeployedHere } = await openDeps(session, options);
  const { terminal, where, stack, aws } = deps;
  const place = { where, stack, region: aws.region, profile: aws.profile };
  const left: Finding[] = [];
  let number = 0;
  for await (const step of stepsOf(deps, deployed, isDeployedHere)) {
    number += 1;
    left.push(...(await runStep(step, number, { terminal, place })));
  }
  const deployment = await deployed();
  terminal.line(`${number + 1}. ${terminal.style('bold', 'Doctor')}`);
  const found = await examine({ findDeployment: async () => deployment }, { ...options, stack });
  const blocks = [
    ...found.blocks,
    ...(left.length > 0
      ? [findingsBlock([{ name: '', findings: left }], { title: 'Left for you' })]
      : []),
    ...(found.verdict?.kind === 'well' ? [text(firstOrder(deployment))] : []),
  ];
  printDocument(terminal, { ...found, blocks }, { place, now: new Date() });
  return exitCodeOf(found);
}

function firstOrder({ connector }: Deployment): string {
  const act = connector.shops[0]?.rules.completeWhen === 'paid' ? 'pay' : 'fulfil';
  return `Next, place an order in the store and ${act} it, which is when it is sent. "trace order", with the number at the end of its address, shows its outcome.`;
}

async function openDeps(session: Session, options: SetupOptions) {
  const { stage: named, ...common } = options;
  if (named !== undefined && common.stack !== undefined) {
    throw new BadArguments('give --stage or --stack, not both.');
  }
  const given = common.stack ?? (process.env.CONNECTOR_STACK || undefined);
  const asked = named === undefined ? given : `loyalty-connector-${named}`;
  // An account or a region is never meant for this machine.
  const isOnAws = (asked ?? common.region ?? common.profile) !== undefined;
  const local = isOnAws ? undefined : await findLocalStack();
  const stack = local?.stack ?? asked ?? 'loyalty-connector-prod';
  /** Throws a `Problem` while the stack is not deployed. */
  const deployed = async () => local ?? findDeployedStack({ ...common, stack });
  const ownStage = stageOfStack(stack);
  const stage = local?.stage ?? ownStage ?? (await deployed()).stage;
  const { terminal } = session;
  const deps: SetupDeps = {
    ...{ stage, stack, options, session, terminal },
    where: local ? 'local' : 'aws',
    aws: local?.aws ?? (await openAws(common)),
    connector: async () => local?.connector ?? readStageSettings(stage),
    agrees: async (question) => options.yes === true || terminal.confirm(question),
  };
  // A construct in an app of the user's own is deployed by that app.
  return { deps, deployed, isDeployedHere: !local && ownStage !== undefined };
}

/** Later steps need what earlier ones have made: the settings, then the deployment. */
async function* stepsOf(
  deps: SetupDeps,
  deployed: () => Promise<Deployment>,
  isDeployedHere: boolean,
): AsyncGenerator<Step> {
  yield* [accountStep(deps), settingsStep(deps)];
  if (isDeployedHere) yield* [bootstrapStep(deps), quotaStep(deps), deployStep(deps)];
  const deployment = await deployed();
  const shops = shopsOf(deployment.connector, deps.options.shop);
  for (const shop of shops) {
    yield* shopSteps({ deps, deployment, shop, isOnly: shops.length === 1 });
  }
  yield alarmsStep(deps, deployment);
}
