ALTER TABLE "listing_health" ADD COLUMN "shows_badge" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "claims" DROP COLUMN "badge_at";