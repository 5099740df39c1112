CREATE TABLE "plan_decisions" (
	"submission_id" text NOT NULL,
	"directory_id" text NOT NULL,
	"decision" text,
	"reason" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "plan_decisions_submission_id_directory_id_pk" PRIMARY KEY("submission_id","directory_id")
);
--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "accepts" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "languages" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "directories" ADD COLUMN "minimum_age" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "plan_budget" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "plan_badges" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "kind" text DEFAULT 'web' NOT NULL;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "language" text DEFAULT 'en' NOT NULL;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "plan_budget" double precision;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "plan_badges" boolean;--> statement-breakpoint
ALTER TABLE "plan_decisions" ADD CONSTRAINT "plan_decisions_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_decisions" ADD CONSTRAINT "plan_decisions_directory_id_directories_id_fk" FOREIGN KEY ("directory_id") REFERENCES "public"."directories"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "plan_decisions_remembered" ON "plan_decisions" USING btree ("directory_id") WHERE "plan_decisions"."decision" = 'skipped';--> statement-breakpoint
CREATE INDEX "submission_rows_listings" ON "submission_rows" USING btree ("directory_id","updated_at") WHERE "submission_rows"."is_submitted" and "submission_rows"."listing_url" is not null;