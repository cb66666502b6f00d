import type { Language } from './en.ts';

/** What one order earns, on its page. `…Some`: the number is not known. */
const en = {
  heading: 'Loyalty points',
  waiting: 'This order is on its way to the loyalty program. What it earns appears here.',
  earns: 'This order earns you {gain}.',
  earnsSome: 'This order earns you points.',
  whenAdded: 'Your history shows them once added.',
  none: 'This order earns no points.',
  cancelled: 'This order was cancelled. It earns no points.',
  logInTo: 'Log in to see what this order earns.',
  seeAll: 'See points and rewards',
  steps: {
    goods: '{amount} for the items you keep, without shipping',
    tax: '{amount} taxes',
    'gift-cards-sold': '{amount} gift cards',
    'refunded-without-lines': '{amount} refunded',
    'never-paid': '{amount} not paid',
    'dispute-lost': '{amount} not paid',
    'paid-with-gift-cards': '{amount} paid with gift cards or store credit',
    'paid-with-store-credit': '{amount} paid with store credit you were given',
    'store-credit-not-known': '{amount} paid with other store credit',
  },
  counts: '{amount} counts for points',
  counted: '{date}: {amount} counted',
  takenBack: '{date}: {amount} taken back',
  addedTo: '{date}: {amount} added',
};

const ptBr: typeof en = {
  heading: 'Pontos de fidelidade',
  waiting: 'Este pedido está a caminho do programa de fidelidade. O que ele rende aparece aqui.',
  earns: 'Este pedido rende {gain}.',
  earnsSome: 'Este pedido rende pontos.',
  whenAdded: 'Eles aparecem no histórico quando entrarem.',
  none: 'Este pedido não rende pontos.',
  cancelled: 'Este pedido foi cancelado e não rende pontos.',
  logInTo: 'Entre na sua conta para ver o que este pedido rende.',
  seeAll: 'Ver pontos e recompensas',
  steps: {
    goods: '{amount} pelos itens que ficam com você, sem frete',
    tax: '{amount} impostos',
    'gift-cards-sold': '{amount} cartões-presente',
    'refunded-without-lines': '{amount} reembolsados',
    'never-paid': '{amount} não pagos',
    'dispute-lost': '{amount} não pagos',
    'paid-with-gift-cards': '{amount} pagos com cartões-presente ou crédito na loja',
    'paid-with-store-credit': '{amount} pagos com crédito na loja que você ganhou',
    'store-credit-not-known': '{amount} pagos com outro crédito na loja',
  },
  counts: '{amount} contam para pontos',
  counted: '{date}: {amount} contados',
  takenBack: '{date}: {amount} retirados',
  addedTo: '{date}: {amount} adicionados',
};

const es: typeof en = {
  heading: 'Puntos de fidelidad',
  waiting: 'Este pedido va de camino al programa de fidelidad. Lo que ganas con él aparecerá aquí.',
  earns: 'Con este pedido ganas {gain}.',
  earnsSome: 'Con este pedido ganas puntos.',
  whenAdded: 'Aparecen en tu historial cuando se añaden.',
  none: 'Con este pedido no ganas puntos.',
  cancelled: 'Este pedido se ha cancelado y no da puntos.',
  logInTo: 'Inicia sesión para ver lo que ganas con este pedido.',
  seeAll: 'Ver puntos y recompensas',
  steps: {
    goods: '{amount} por los artículos que conservas, sin envío',
    tax: '{amount} impuestos',
    'gift-cards-sold': '{amount} tarjetas de regalo',
    'refunded-without-lines': '{amount} reembolsados',
    'never-paid': '{amount} sin pagar',
    'dispute-lost': '{amount} sin pagar',
    'paid-with-gift-cards': '{amount} pagados con tarjetas de regalo o crédito en tienda',
    'paid-with-store-credit': '{amount} pagados con crédito en tienda que te regalaron',
    'store-credit-not-known': '{amount} pagados con otro crédito en tienda',
  },
  counts: '{amount} cuentan para puntos',
  counted: '{date}: {amount} contados',
  takenBack: '{date}: {amount} retirados',
  addedTo: '{date}: {amount} añadidos',
};

/** By the language that the words are in. */
export const orderStrings: Readonly<Record<Language, typeof en>> = {
  en,
  es,
  'pt-BR': ptBr,
};
