import { findSubscriptions, isHealthy, openSubscriptions } from '../../webhooks/subscriptions.ts';
import { repair } from '../../webhooks/sync-webhooks.ts';
import { type ShopSetup, titleOf } from '../shop-setup.ts';
import { blocked, done, left, open, type Step, say } from '../step.ts';

export function subscriptionsStep(setup: ShopSetup): Step {
  const { world, deployment, shop } = setup;
  const subscriptions = openSubscriptions(deployment);
  const find = () => findSubscriptions(subscriptions, deployment, { shop: shop.domain });
  return {
    title: titleOf(setup, 'Webhook subscriptions'),
    async look() {
      const found = await find();
      const fine = found.flatMap(({ findings }) => findings.fine);
      if (deployment.connector.healing.subscriptions === 'app-configuration') {
        return done('the configuration of the app makes them, which cannot be read from here');
      }
      if (found.every(isHealthy)) return done(`${fine.length} as they should be`);
      const isRetired = found.some(({ findings }) => findings.version?.retired);
      const rest = found.flatMap(({ findings }) => [
        ...findings.missing,
        ...findings.wrong,
        ...findings.extra,
      ]);
      return isRetired && rest.length === 0
        ? left(
            'Webhooks come in a retired API version.',
            'Set it in the Dev Dashboard: the app, Versions.',
          )
        : open(`${rest.length} are missing or wrong.`);
    },
    async act() {
      const changes = await repair(subscriptions, await find(), world.session, deployment);
      const refused = changes.find(({ done: result }) => result === 'refused');
      if (refused)
        return blocked(`The store refuses ${refused.topic}.`, 'Check the scopes of the app.');
      say(world.terminal, `${changes.length} made, corrected or removed.`);
      return undefined;
    },
  };
}
