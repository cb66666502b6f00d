// The loyalty program in a storefront of your own: docs/how-to/headless.md.
// node headless-storefront.mjs <address of the storefront>/<shop>/headless <the customer's access token>

/** Without a cart: what a purchase that is large enough may use. */
const ANY_CART = '0:1000000:1';

/** Server-side only: the token never goes to the browser. */
export function openLoyalty(address, accessToken) {
  async function ask(route, { body, ...query } = {}) {
    const answer = await fetch(`${address}/${route}?${new URLSearchParams(query)}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const json = await answer.json();
    if (answer.ok) return json;
    throw Object.assign(new Error(json.error.message), { code: json.error.code });
  }
  return {
    view: (items = ANY_CART) => ask('view', { items }),
    /** One key per press: after a lost answer, press again with the same one. */
    redeem: (rewardId, clientKey, items = ANY_CART) =>
      ask('redeem', { body: { rewardId, clientKey, items } }),
  };
}

const [, script, address, token] = process.argv;
if (import.meta.filename === script && address && token) {
  const loyalty = openLoyalty(address, token);
  const { points, rewards } = await loyalty.view();
  console.log(`${points} points`);
  const reward = rewards?.find(({ redeemable, cashback }) => redeemable && !cashback);
  if (reward) {
    const { redemption } = await loyalty.redeem(reward.id, crypto.randomUUID());
    console.log(`${reward.title}: ${redemption.state}, code ${redemption.code}`);
  }
}
