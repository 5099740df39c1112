ALTER TABLE "oauth_grants" ADD COLUMN "operator" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "site" ADD COLUMN "agents_stopped" boolean DEFAULT false NOT NULL;