ALTER TABLE "partners" ADD COLUMN "previous_secret" text;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "previous_valid_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "events" text[] DEFAULT '{}' NOT NULL;