export * from '../../../local/stack/emulators.ts';
export { startSqs } from './moto-aws.ts';
