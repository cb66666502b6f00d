export * from '../../../local/stack/emulators.ts';
export { connectMoto as startSqs } from './moto-aws.ts';
