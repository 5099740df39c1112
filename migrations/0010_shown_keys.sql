ALTER TABLE "keys" ADD COLUMN "shown_at" timestamp with time zone;--> statement-breakpoint
-- Of earlier keys nothing is known; they count as shown.
UPDATE "keys" SET "shown_at" = "created_at";
