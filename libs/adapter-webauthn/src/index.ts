export { webAuthnCeremonies } from './ceremonies.ts';
