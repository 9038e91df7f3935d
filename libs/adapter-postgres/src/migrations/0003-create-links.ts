import type { MigrationInterface } from 'typeorm';

/** The first create_links, which 0014 replaces; nothing before that uses it. Databases have this name in `migrations`. */
export class CreateLinks1700000000003 implements MigrationInterface {
  readonly name = 'CreateLinks1700000000003';
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}
