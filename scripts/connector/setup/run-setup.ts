import { findShop } from '../arguments.ts';
import { nextCommand } from '../deployment/deployment.ts';
import {
  findLocalStack,
  openAws,
  readStageSettings,
  stageOfStack,
} from '../deployment/find-deployment.ts';
import { examine } from '../doctor/doctor.ts';
import { exitCodeOf } from '../document/document.ts';
import { BadArguments, EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { type Left, runStep, type SetupDeps, type SetupOptions, type Step } from './setup-step.ts';
import {
  appConfigurationStep,
  appStep,
  loyaltyStep,
  scopesStep,
  storefrontStep,
  subscriptionsStep,
  testWebhookStep,
} from './shop-steps.ts';
import {
  accountStep,
  alarmsStep,
  bootstrapStep,
  deployStep,
  quotaStep,
  settingsStep,
} from './stack-steps.ts';

/** Every step in turn → doctor → what is left, and the first order. */
export async function runSetup(session: Session, options: SetupOptions): Promise<ExitCode> {
  if (session.json) {
    throw new BadArguments('setup has no --json; "doctor --json" shows the state that it reached.');
  }
  const deps = await openDeps(session, options);
  const { terminal } = session;
  const leftovers: Left[] = [];
  let number = 0;
  for await (const step of stepsOf(deps)) {
    number += 1;
    const rest = await runStep(step, number, terminal);
    if (rest) leftovers.push(rest);
  }
  const deployment = await deps.deployment();
  terminal.line(`${number + 1}. ${terminal.style('bold', 'Doctor')}`);
  const own = { ...session, findDeployment: async () => deployment };
  const found = await examine(own, { ...options, stack: deps.stack });
  session.show(found);
  const code = exitCodeOf(found);
  if (leftovers.length > 0) {
    terminal.line('\nLeft for you:');
    for (const { what, next } of leftovers) terminal.line(`- ${what} ${next}`);
  }
  if (code !== EXIT.fine) return code;
  const { completeWhen } = deployment.connector.shops[0]?.rules ?? {};
  const act = completeWhen === 'paid' ? 'pay' : 'fulfil';
  terminal.line(
    `\nNext, place an order in the store and ${act} it, which is when it is sent; then see its outcome:`,
  );
  const trace = nextCommand(deployment, 'trace order <number at the end of its address>');
  terminal.line(`  ${trace}`);
  return code;
}

async function openDeps(session: Session, options: SetupOptions): Promise<SetupDeps> {
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
  const deployed = async () => {
    if (local) return local;
    const { findDeployedStack } = await import('../deployment/find-deployment.ts');
    return findDeployedStack({ ...common, stack });
  };
  const ownStage = stageOfStack(stack);
  const stage = local?.stage ?? ownStage ?? (await deployed()).stage;
  const { terminal } = session;
  return {
    where: local ? 'local' : 'aws',
    stage,
    stack,
    aws: local?.aws ?? (await openAws(common)),
    options,
    session,
    terminal,
    connector: async () => local?.connector ?? readStageSettings(stage),
    isDeployedHere: !local && ownStage !== undefined,
    deployment: deployed,
    agrees: async (question) => options.yes === true || terminal.confirm(question),
  };
}

/** Later steps need what earlier ones have made: the settings, then the deployment. */
async function* stepsOf(deps: SetupDeps): AsyncGenerator<Step> {
  yield accountStep(deps);
  yield settingsStep(deps);
  if (deps.isDeployedHere) {
    yield bootstrapStep(deps);
    yield quotaStep(deps);
    yield deployStep(deps);
  }
  const deployment = await deps.deployment();
  const { connector } = deployment;
  const { shop: named } = deps.options;
  const shops = named === undefined ? connector.shops : [findShop(connector, named)];
  for (const shop of shops) {
    const one = { deps, deployment, shop, isOnly: shops.length === 1 };
    yield appStep(one);
    yield scopesStep(one);
    if (deps.where === 'aws') yield appConfigurationStep(one);
    yield loyaltyStep(one);
    yield subscriptionsStep(one);
    if (connector.storefront) yield storefrontStep(one);
    yield testWebhookStep(one);
  }
  yield alarmsStep(deps, deployment);
}
