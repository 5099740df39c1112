CREATE TABLE "idempotent_answers" (
	"partner_id" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"status" integer NOT NULL,
	"answer" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotent_answers_partner_id_key_pk" PRIMARY KEY("partner_id","key")
);
--> statement-breakpoint
CREATE TABLE "submission_details" (
	"submission_id" text PRIMARY KEY NOT NULL,
	"affiliate_text" text,
	"founding_date" text,
	"is_customer" boolean,
	"is_launched" boolean
);
--> statement-breakpoint
CREATE TABLE "submission_rows" (
	"submission_id" text NOT NULL,
	"directory_id" text NOT NULL,
	"is_submitted" boolean NOT NULL,
	"listing_url" text,
	"submitted_by" text NOT NULL,
	"submitted_at" timestamp with time zone,
	"proof_url" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "submission_rows_submission_id_directory_id_pk" PRIMARY KEY("submission_id","directory_id")
);
--> statement-breakpoint
CREATE TABLE "submissions" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" text NOT NULL,
	"tool_id" text NOT NULL,
	"payment_type" text,
	"state" text,
	"assignee" text,
	"notes" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"event_id" text NOT NULL,
	"partner_id" text NOT NULL,
	"event" text NOT NULL,
	"body" text NOT NULL,
	"state" text NOT NULL,
	"status" integer,
	"error" text,
	"duration_ms" integer,
	"answer" text,
	"created_at" timestamp with time zone NOT NULL,
	"attempted_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "tools" ADD COLUMN "website_key" text;--> statement-breakpoint
ALTER TABLE "idempotent_answers" ADD CONSTRAINT "idempotent_answers_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submission_details" ADD CONSTRAINT "submission_details_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submission_rows" ADD CONSTRAINT "submission_rows_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submission_rows" ADD CONSTRAINT "submission_rows_directory_id_directories_id_fk" FOREIGN KEY ("directory_id") REFERENCES "public"."directories"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_tool_id_tools_id_fk" FOREIGN KEY ("tool_id") REFERENCES "public"."tools"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "submissions_partner_tool" ON "submissions" USING btree ("partner_id","tool_id");--> statement-breakpoint
CREATE INDEX "submissions_tool" ON "submissions" USING btree ("tool_id");--> statement-breakpoint
CREATE INDEX "submissions_state" ON "submissions" USING btree ("state","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_state" ON "webhook_deliveries" USING btree ("state","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_partner" ON "webhook_deliveries" USING btree ("partner_id","created_at");--> statement-breakpoint
CREATE INDEX "tools_website_key" ON "tools" USING btree ("website_key");